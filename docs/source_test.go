package docs

import (
	"strings"
	"testing"

	"acpshim"
)

// A section is a table of config.toml with the comment above it: a [table], one of [[several]], an
// example of one, which is commented out, or a comment that is about none and has no name.
type section struct {
	name      string
	isExample bool
	comment   []string // lines, without their #
	keys      []setting
}

// A setting is a key of config.toml. Comment is what stands above it, or above the one before it.
type setting struct {
	name, value string
	comment     []string
}

// value is that of a key, or "".
func (s section) value(name string) string {
	for _, k := range s.keys {
		if k.name == name {
			return strings.Trim(k.value, `"`)
		}
	}
	return ""
}

// sections reads the default configuration: a comment begins with "# " and is above or next to what
// it is about; an example begins with "#".
func sections(t *testing.T) []section {
	t.Helper()
	all := []section{{}} // the first one is that of the keys outside of tables
	var comment []string
	for n, line := range strings.Split(acpshim.DefaultConfig(), "\n") {
		now := &all[len(all)-1]
		text, isExample := strings.CutPrefix(line, "#")
		key, value, isSetting := strings.Cut(text, " = ")
		switch {
		case line == "#" || strings.HasPrefix(line, "# "):
			comment = append(comment, strings.TrimPrefix(text, " "))
			continue
		case line == "" && comment != nil && len(all) == 1 && now.comment == nil:
			now.comment = comment
		case line == "" && comment != nil:
			all = append(all, section{comment: comment})
		case line == "":
		case strings.HasPrefix(text, "["):
			all = append(all, section{name: strings.Trim(text, "[]"), isExample: isExample, comment: comment})
		case isSetting && (now.name != "" || len(all) == 1):
			if before, beside, ok := strings.Cut(value, "  # "); ok {
				value, comment = strings.TrimSpace(before), append(comment, beside)
			}
			now.keys = append(now.keys, setting{key, value, comment})
		default:
			t.Fatalf("config.toml:%d: %q is no comment, table or key of one", n+1, line)
		}
		comment = nil
	}
	return all
}

// sources takes what a comment says of where it is from: below "Seen: " with which versions it was
// seen, below "Read: " where it was read.
func sources(comment []string) (why, seen, read string) {
	to := &why
	for _, line := range comment {
		for label, of := range map[string]*string{"Seen: ": &seen, "Read: ": &read} {
			if text, ok := strings.CutPrefix(line, label); ok {
				to, line = of, text
			}
		}
		*to += line + " "
	}
	return strings.TrimSpace(why), strings.TrimSpace(seen), strings.TrimSpace(read)
}

// paragraphs is a comment as markdown. What is indented is code.
func paragraphs(comment []string) string {
	var b strings.Builder
	isCode := false
	for _, line := range comment {
		if isIndented := strings.HasPrefix(line, "  "); isIndented != isCode {
			isCode = isIndented
			b.WriteString(map[bool]string{true: "\n```text\n", false: "```\n\n"}[isCode])
		}
		if isCode {
			b.WriteString(line + "\n")
		} else {
			b.WriteString(markdown(line) + "\n")
		}
	}
	if isCode {
		b.WriteString("```\n")
	}
	return b.String()
}
