# Files become part of the program: the source OUTPUT defines std::span<const quasar::Asset> quasar::page_assets(), see
# report/page_assets.hpp, and is written anew when a file changes. Included it defines the function, run by -P it writes.
#
# Bytes are written as numbers: compilers limit the length of a string literal and look at its encoding.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(quasar_embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(quasar_embed output)
    string(REPLACE ";" "|" files "${ARGN}")
    add_custom_command(OUTPUT ${output} DEPENDS ${ARGN} ${quasar_embed_script} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFILES=${files} -P ${quasar_embed_script})
  endfunction()
  return()
endif()

string(REPLACE "|" ";" FILES "${FILES}")
set(source "#include \"report/page_assets.hpp\"\n\nnamespace quasar {\nnamespace {\n\n")
set(table "")
set(number 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND source "const unsigned char file_${number}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", {reinterpret_cast<const char*>(file_${number}), sizeof(file_${number}) - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${source}\n}  // namespace\n\nstd::span<const PageAsset> page_assets() {\n"
  "  static const PageAsset all[] = {\n${table}  };\n  return all;\n}\n\n}  // namespace quasar\n")
