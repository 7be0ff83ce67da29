# shellcheck shell=bash
# Completion for bash. The program knows what may follow; this asks it, and looks for files itself.

_quasar() {
  local program=${COMP_WORDS[0]/#\~/$HOME} words=() word typed last='' i
  # Bash cuts words at = and :, the program takes them whole.
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 0)) && [[ $word == [=:]* || $last == [=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  typed=${word#[=:]}  # what an answer replaces

  local answer how line
  mapfile -t answer < <("$program" _complete "${words[@]}" 2>/dev/null)
  read -ra how <<<"${answer[0]-}"
  COMPREPLY=()
  case ${how[0]-} in
    words | parts)
      for line in "${answer[@]:1}"; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"${words[-1]%"$typed"}"}")
      done
      if [[ ${how[0]} == parts ]]; then compopt -o nospace 2>/dev/null; fi
      ;;
    files | folders)
      _quasar_paths "$typed" "${how[@]}"
      ;;
  esac
}

# _quasar_paths TYPED files|folders [ENDING]: paths that begin so. Where no file has the ending, all are shown.
_quasar_paths() {
  local typed=$1 kind=$2 ending=${3-} path folders=() fitting=()
  compopt -o filenames 2>/dev/null
  mapfile -t folders < <(compgen -d -- "$typed")
  COMPREPLY=("${folders[@]}")
  if [[ $kind == folders ]]; then return; fi
  mapfile -t COMPREPLY < <(compgen -f -- "$typed")
  for path in "${COMPREPLY[@]}"; do
    if [[ -n $ending && $path == *."$ending" ]]; then fitting+=("$path"); fi
  done
  if ((${#fitting[@]} > 0)); then COMPREPLY=("${fitting[@]}" "${folders[@]}"); fi
}

complete -F _quasar quasar
