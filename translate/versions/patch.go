package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// A fileText is the text of a file, or the part of it that a patch shows, before and after.
type fileText struct {
	old, new string
	isNew    bool // there was no such file
	isGone   bool // there is none now
}

// readPatch returns the texts of the files of a patch as Git writes it, by their paths; a file that
// is gone by its old path. Hunks of one file have a line "..." between them.
func readPatch(patch string) map[string]fileText {
	files := map[string]fileText{}
	var before, path string
	var now fileText
	inHunk := false
	end := func() {
		if path != "" {
			files[path] = now
		}
		before, path, now, inHunk = "", "", fileText{}, false
	}
	for line := range strings.Lines(patch) {
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		switch {
		case strings.HasPrefix(text, "diff --git "), !inHunk && strings.HasPrefix(text, "--- ") && path != "":
			end()
			if strings.HasPrefix(text, "--- ") {
				before = patchPath(text[4:])
			}
		case !inHunk && strings.HasPrefix(text, "--- "):
			before = patchPath(text[4:])
			now.isNew = before == ""
		case !inHunk && strings.HasPrefix(text, "+++ "):
			path = patchPath(text[4:])
			if now.isGone = path == ""; now.isGone {
				path = before
			}
		case strings.HasPrefix(text, "@@ "):
			if inHunk {
				now.old, now.new = now.old+"...\n", now.new+"...\n"
			}
			inHunk = true
		case !inHunk:
		case strings.HasPrefix(line, "+"):
			now.new += line[1:]
		case strings.HasPrefix(line, "-"):
			now.old += line[1:]
		case strings.HasPrefix(line, `\`): // no newline at the end
			now.old, now.new = strings.TrimSuffix(now.old, "\n"), strings.TrimSuffix(now.new, "\n")
		case strings.HasPrefix(line, " "):
			now.old, now.new = now.old+line[1:], now.new+line[1:]
		}
	}
	end()
	return files
}

// patchPath is the path in a header of a patch, "" for no file. Version 2 wants absolute paths,
// without the letters that Git puts before relative ones.
func patchPath(text string) string {
	text, _, _ = strings.Cut(text, "\t")
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	if text == "/dev/null" {
		return ""
	}
	return text
}

// patchOf returns a patch of one file as Git writes it: all of the old text is taken out, and all of
// the new one put in.
func patchOf(path string, f fileText) string {
	name := path
	if strings.ContainsAny(path, "\"\\\t\n") {
		name = strconv.Quote(path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", name, name)
	from, to := name, name
	if f.isNew {
		from = "/dev/null"
		b.WriteString("new file mode 100644\n")
	}
	if f.isGone {
		to = "/dev/null"
		b.WriteString("deleted file mode 100644\n")
	}
	if f.old == "" && f.new == "" {
		return b.String()
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ -%s +%s @@\n", from, to, hunkRange(f.old), hunkRange(f.new))
	hunkLines(&b, "-", f.old)
	hunkLines(&b, "+", f.new)
	return b.String()
}

func hunkRange(text string) string {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	if n == 0 {
		return "0,0"
	}
	return "1," + strconv.Itoa(n)
}

func hunkLines(b *strings.Builder, sign, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(sign + line)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}
