// Loads a package that AOTInductor wrote, runs it on tensors from a file, and writes what it returns.
// No Python runs in here: the package holds the code, and its constants.
//
//   run_package model.pt2 inputs.pt outputs.pt
//
// In Python, torch.save([x], "inputs.pt") writes the one and torch.load("outputs.pt") reads the other.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/serialize.h>

namespace {

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TORCH_CHECK(file, "There is no file ", path, ": check the path.");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  TORCH_CHECK(file, path, " cannot be written.");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: run_package MODEL.pt2 INPUTS.pt OUTPUTS.pt\n";
    return 2;
  }
  try {
    c10::InferenceMode no_gradients;
    torch::inductor::AOTIModelPackageLoader model(argv[1]);
    const c10::IValue given = torch::pickle_load(read(argv[2]));
    std::vector<torch::Tensor> inputs;
    for (const c10::IValue& input : given.toListRef()) {
      inputs.push_back(input.toTensor());
    }
    std::vector<c10::IValue> outputs;
    for (const torch::Tensor& output : model.run(inputs)) {
      std::cout << output.scalar_type() << output.sizes() << '\n';
      outputs.emplace_back(output);
    }
    write(argv[3], torch::pickle_save(c10::ivalue::Tuple::create(std::move(outputs))));
  } catch (const c10::Error& error) {
    std::cerr << error.what_without_backtrace() << '\n';
    return 1;
  }
}
