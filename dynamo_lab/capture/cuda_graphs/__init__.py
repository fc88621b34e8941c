"""How the trees and the memory pools of CUDA graphs are known."""
