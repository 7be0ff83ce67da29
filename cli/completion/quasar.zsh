#compdef quasar
# Completion for zsh. The program knows what may follow; this asks it, and looks for files itself.

_quasar() {
  local program=${words[1]/#\~/$HOME} line
  local -a answer names shown how
  answer=("${(@f)$("$program" _complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  how=(${=answer[1]})
  case $how[1] in
    words|parts)
      for line in "${(@)answer[2,-1]}"; do
        [[ -n $line ]] || continue
        names+=("${line%%$'\t'*}")
        shown+=("${${${line%$'\t'}/$'\t'/  -- }[1,COLUMNS-1]}")
      done
      if [[ $how[1] == parts ]]; then
        compadd -l -S '' -d shown -a names
      else
        compadd -l -d shown -a names
      fi
      ;;
    files)
      [[ $words[CURRENT] == --*=* ]] && compset -P '*='
      if (( $#how > 1 )); then _files -g "*.$how[2]"; else _files; fi
      ;;
    folders)
      [[ $words[CURRENT] == --*=* ]] && compset -P '*='
      _files -/
      ;;
  esac
}

# Run as a function that compinit has found, or sourced.
if [[ $funcstack[1] == _quasar ]]; then _quasar "$@"; else compdef _quasar quasar; fi
