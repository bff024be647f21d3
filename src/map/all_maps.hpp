// Every smooth map; a new one is added here once.
#pragma once

#include "map/adaptive_temperature.hpp"
#include "map/class_temperatures.hpp"
#include "map/diagonal_affine.hpp"
#include "map/matrix_affine.hpp"
#include "map/temperature.hpp"
