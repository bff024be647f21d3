# Writes the page's style sheet and script as a C++ source, with the hash by which the page's
# security policy lets the script run.
#
#   cmake -DSTYLE=page.css -DSCRIPT=page.js -DOUT=page_assets.cpp -P embed_page.cmake

# Base64 of a SHA-256 given as hexadecimal digits: CMake has no function for it.
function(base64_of hex result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(start RANGE 0 63 6)
    string(SUBSTRING "${hex}" ${start} 6 group)
    string(LENGTH "${group}" digits)
    string(SUBSTRING "${group}0000" 0 6 group)
    math(EXPR value "0x${group}")
    # Three bytes are four letters; the two bytes left at the end are three and a filler.
    math(EXPR letters "${digits} / 2 + 1")
    foreach(shift 18 12 6 0)
      if(letters GREATER 0)
        math(EXPR index "(${value} >> ${shift}) & 63")
        string(SUBSTRING "${alphabet}" ${index} 1 letter)
        string(APPEND text "${letter}")
        math(EXPR letters "${letters} - 1")
      else()
        string(APPEND text "=")
      endif()
    endforeach()
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${STYLE}" style)
file(READ "${SCRIPT}" script)
string(SHA256 hash "${script}")
base64_of("${hash}" hash)
file(WRITE "${OUT}" "// Written by embed_page.cmake.
#include \"report/page/assets.hpp\"

namespace credence::report {

const std::string_view kPageStyle = R\"credence(${style})credence\";
const std::string_view kPageScript = R\"credence(${script})credence\";
const std::string_view kPageScriptHash = \"sha256-${hash}\";

}  // namespace credence::report
")
