package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// A fileText is the text of a file, or the part in a patch, before and after the change.
type fileText struct {
	old, new string
	isNew    bool // the file is created
	isGone   bool // the file is deleted
}

// A patchReader reads a patch in the format of Git.
type patchReader struct {
	files          map[string]fileText
	before, path   string
	now            fileText
	old, new       patchText
	oldLeft        int  // lines of the hunk that are to come, of the old text
	newLeft        int  // and of the new one
	hunks          int  // of the file so far
	hasOld, hasNew bool // what the line before was of
}

// readPatch returns the texts of the files in a patch by path. The key of a deleted file is its old
// path. A line "..." separates the hunks of a file.
func readPatch(patch string) map[string]fileText {
	r := patchReader{files: map[string]fileText{}}
	for line := range strings.Lines(patch) {
		r.line(line)
	}
	r.end()
	return r.files
}

func (r *patchReader) line(line string) {
	switch {
	case strings.HasPrefix(line, `\`): // no newline at the end
		r.old.hasNewline = r.old.hasNewline && !r.hasOld
		r.new.hasNewline = r.new.hasNewline && !r.hasNew
	case r.oldLeft > 0 || r.newLeft > 0:
		r.hunkLine(line)
	default:
		r.header(strings.TrimRight(line, "\r\n"))
	}
}

func (r *patchReader) hunkLine(line string) {
	r.hasOld, r.hasNew = line[0] != '+', line[0] != '-'
	text := line[1:]
	if line[0] != '+' && line[0] != '-' && line[0] != ' ' {
		text = line // a line of context that lost its space
	}
	if r.hasOld {
		r.old.add(text)
		r.oldLeft--
	}
	if r.hasNew {
		r.new.add(text)
		r.newLeft--
	}
}

func (r *patchReader) header(text string) {
	switch {
	case strings.HasPrefix(text, "diff --git "):
		r.end()
	case strings.HasPrefix(text, "--- "):
		if r.path != "" {
			r.end()
		}
		r.before = patchPath(text[4:])
		r.now.isNew = r.before == ""
	case strings.HasPrefix(text, "+++ "):
		r.path = patchPath(text[4:])
		if r.now.isGone = r.path == ""; r.now.isGone {
			r.path = r.before
		}
	case strings.HasPrefix(text, "@@ -"):
		if r.hunks++; r.hunks > 1 {
			r.old.add("...\n")
			r.new.add("...\n")
		}
		ranges := strings.Fields(text)
		if len(ranges) > 2 {
			r.oldLeft, r.newLeft = rangeLines(ranges[1]), rangeLines(ranges[2])
		}
	}
}

func (r *patchReader) end() {
	if r.path != "" {
		r.now.old, r.now.new = r.old.text(), r.new.text()
		r.files[r.path] = r.now
	}
	*r = patchReader{files: r.files} // a Builder must not be copied
}

// rangeLines returns the number of lines in a range such as "-1,3".
func rangeLines(text string) int {
	_, count, ok := strings.Cut(text, ",")
	if !ok {
		return 1
	}
	n, _ := strconv.Atoi(count)
	return max(0, n)
}

// A patchText is a text under construction. Its last newline is pending, because a later line can
// remove it.
type patchText struct {
	strings.Builder
	hasNewline bool
}

func (t *patchText) add(line string) {
	if t.hasNewline {
		t.WriteByte('\n')
	}
	line, t.hasNewline = strings.CutSuffix(line, "\n")
	t.WriteString(line)
}

func (t *patchText) text() string {
	if t.hasNewline {
		return t.String() + "\n"
	}
	return t.String()
}

// patchPath returns the path in a header of a patch, or "" for /dev/null. Version 2 has absolute
// paths, so there is no prefix to remove.
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

// patchName returns a path as it is in the headers of a patch.
func patchName(path string) string {
	if strings.ContainsAny(path, "\"\\\t\n") {
		return strconv.Quote(path)
	}
	return path
}

// patchOf returns a patch of one file in the format of Git, which removes all of the old text and
// adds all of the new text.
func patchOf(path string, f fileText) string {
	name := patchName(path)
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
