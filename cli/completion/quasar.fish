# Completion for fish. The program knows what may follow; this asks it, and looks for files itself.

function __quasar_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l answer ($program _complete $words[2..-1] "$typed" 2>/dev/null)
    set -l how (string split ' ' -- $answer[1])
    switch $how[1]
        case words parts
            string join \n -- $answer[2..-1]
        case files folders
            set -l before (string match -r -- '^--[^=]*=' $typed; or echo '')
            set -l path (string replace -r -- '^--[^=]*=' '' $typed)
            for found in (__quasar_paths $how[1] "$path" $how[2])
                echo "$before$found"
            end
    end
end

# __quasar_paths files|folders PATH [ENDING]: paths that begin so. Where none has the ending, all are shown.
function __quasar_paths -a kind path ending
    set -l found (string replace -r '\t.*' '' -- (__fish_complete_path $path))
    set -l folders (string match -- '*/' $found)
    set -l fitting (string match -- "*.$ending" $found)
    if test $kind = folders
        set found $folders
    else if set -q fitting[1]
        set found $fitting $folders
    end
    string join \n -- $found
end

complete -c quasar -f -a '(__quasar_complete)'
