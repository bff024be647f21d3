// Writes what fuzzing starts from: seeds ONNX_FOLDER JSON_FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "calibrators.hpp"
#include "credence/export.hpp"
#include "credence/io.hpp"

namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace credence;
  if (argc != 3) {
    std::fputs("usage: seeds ONNX_FOLDER JSON_FOLDER\n", stderr);
    return 2;
  }
  int number = 0;
  for (const Calibrator& calibrator : fuzz::calibrators()) {
    for (const exporter::Precision precision :
         {exporter::Precision::float16, exporter::Precision::float32}) {
      exporter::ModelOptions options;
      options.precision = precision;
      options.rank = 2 + number % 2;
      options.properties = {{"names", "['c', 'a', 'b']"}};
      const std::string choice(1, static_cast<char>(number * 5));
      write(std::filesystem::path(argv[1]) / std::to_string(number),
            choice + exporter::onnx_model(calibrator, options).bytes);
      ++number;
    }
    write(std::filesystem::path(argv[2]) / std::to_string(number),
          io::calibrator_to_json(calibrator, {.fingerprint = "00112233445566778899aabbccddeeff",
                                              .rows = 10,
                                              .score_kind = "logits",
                                              .evidence = "distributions",
                                              .seed = 42,
                                              .votes_per_example = 5.0}));
  }
}
