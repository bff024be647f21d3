// Networks that are cut off or damaged: an Error or a model, never anything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/export.hpp"
#include "fuzz/calibrators.hpp"

namespace credence::exporter {
namespace {

using ::testing::HasSubstr;

std::string network(int opset = 13) {
  ModelOptions options;
  options.opset = opset;
  options.properties = {{"names", "{0: 'a', 1: 'b', 2: 'c'}"}};
  return onnx_model(fuzz::calibrators()[4], options).bytes;
}

/// True when the bytes were taken for a network.
bool appends(const std::string& bytes, AppendMode mode = AppendMode::replace) {
  AppendOptions options;
  options.mode = mode;
  options.recorded_kind = "logits";
  try {
    append_to_model(fuzz::calibrators()[1], bytes, "net.onnx", options);
    return true;
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return false;
  }
}

TEST(HostileNetwork, TheWholeOneIsTaken) {
  EXPECT_TRUE(appends(network()));
  EXPECT_TRUE(appends(network(), AppendMode::add));
}

TEST(HostileNetwork, CutOffAnywhereItEndsInAnErrorOrAModel) {
  const std::string whole = network();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    refused += appends(whole.substr(0, size)) ? 0 : 1;
  }
  // Only cuts between two fields leave something that parses, and those without a graph or an
  // opset are still refused.
  EXPECT_GT(refused, whole.size() * 9 / 10);
}

TEST(HostileNetwork, WithFlippedBitsItEndsInAnErrorOrAModel) {
  const std::string whole = network();
  std::size_t refused = 0;
  constexpr std::size_t kTrials = 4000;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    std::string bytes = whole;
    for (std::uint64_t flip = 0; flip < 1 + trial % 4; ++flip) {
      const std::uint64_t random = core::random_bits(7, trial, flip);
      char& byte = bytes[random % bytes.size()];
      byte = static_cast<char>(byte ^ (1 << (random >> 32) % 8));
    }
    refused += appends(bytes, trial % 2 == 0 ? AppendMode::add : AppendMode::replace) ? 0 : 1;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, kTrials);
}

TEST(HostileNetwork, NestingWithoutEndIsRefused) {
  // Graph inside attribute inside node inside graph: field 7 of a model holds a graph, 1 of a graph
  // a node, 5 of a node an attribute, 6 of an attribute a graph.
  std::string bytes;
  const auto wrap = [&bytes](int field) {
    std::string length;
    for (std::size_t rest = bytes.size();; rest >>= 7) {
      length += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
      if (rest <= 127) break;
    }
    bytes = static_cast<char>(field << 3 | 2) + length + bytes;
  };
  for (int depth = 0; depth < 20000; ++depth) {
    wrap(6);
    wrap(5);
    wrap(1);
  }
  wrap(7);
  AppendOptions options;
  try {
    append_to_model(fuzz::calibrators()[1], bytes, "deep.onnx", options);
    FAIL() << "20,000 levels were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    EXPECT_THAT(error.what(), HasSubstr("deep.onnx"));
  }
}

}  // namespace
}  // namespace credence::exporter
