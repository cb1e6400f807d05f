# Puts the options of --help, the first file, into the manual page, the second, where that has the line `.\" OPTIONS`.

# A line of the page: what begins with a dot is a text, too.
function line(text) { gsub(/\\/, "\\e", text); return "\\&" text "\n" }

# The flags and the value: -p, --port <number>
function entry(label,    words, count, place, all) {
    gsub(/, |\//, " , ", label)
    count = split(label, words, " ")
    for (place = 1; place <= count; place++) {
        sub(/^-/, "Fl ", words[place])
        if (sub(/^</, "Ar ", words[place])) sub(/>$/, "", words[place])
        all = all " " words[place]
    }
    return ".It" all "\n"
}

function trimmed(text) { gsub(/^ +| +$/, "", text); return text }

FNR == NR && /^[A-Z][A-Z, ]*:$/ {
    section = substr($0, 1, 1) tolower(substr($0, 2, length($0) - 2))
    next
}
# Above the first section is what the page says in its own words.
FNR == NR && section == "" { next }
FNR == NR && /^  -/ {
    if (section != begun) options = options (begun == "" ? "" : ".El\n") ".Ss " section "\n.Bl -tag -width indent\n"
    begun = section
    isBeside = substr($0, 25, 2) == "  "
    options = options entry(trimmed(isBeside ? substr($0, 1, 24) : $0))
    if (isBeside) options = options line(substr($0, 27))
    next
}
FNR == NR { if (begun != "" && trimmed($0) != "") options = options line(trimmed($0)); next }
$0 == ".\\\" OPTIONS" { printf "%s.El\n", options; next }
{ print }
