// Package docs holds the documentation. Its tests generate what is generated of it, and fail if
// that is not as the sources are: "go test ./docs -update" writes it.
package docs

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated documents")

// isGenerated tests that a document is what was generated, or writes it.
func isGenerated(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, read(t, name)); diff != "" {
		t.Errorf("docs/%s is not as its sources are; \"go test ./docs -update\" writes it (-want +got):\n%s", name, diff)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A part of a document that is generated stands between two comments, of which the first names it.
var generatedPart = regexp.MustCompile(`(?ms)^<!-- begin ([^\n]+) -->\n.*?^<!-- end -->\n`)

// hasGeneratedParts tests that the generated parts of a document are as they should be, and that
// it has each of them once; or writes them.
func hasGeneratedParts(t *testing.T, name string, parts map[string]string) {
	t.Helper()
	found := map[string]int{}
	isGenerated(t, name, generatedPart.ReplaceAllStringFunc(read(t, name), func(part string) string {
		title := generatedPart.FindStringSubmatch(part)[1]
		found[title]++
		return fmt.Sprintf("<!-- begin %s -->\n\n%s\n<!-- end -->\n", title, parts[title])
	}))
	for title := range parts {
		if found[title] != 1 {
			t.Errorf("docs/%s has %d parts %q, want 1", name, found[title], title)
		}
		delete(found, title)
	}
	for title := range found {
		t.Errorf("docs/%s has a part %q that nothing generates", name, title)
	}
}

// table is a table in markdown, without the columns that are empty.
func table(heads []string, rows [][]string) string {
	isUsed := make([]bool, len(heads))
	for _, row := range rows {
		for i, cell := range row {
			isUsed[i] = isUsed[i] || cell != ""
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{heads, make([]string, len(heads))}, rows...) {
		for i, cell := range row {
			if isUsed[i] {
				b.WriteString("| " + strings.TrimSpace(strings.ReplaceAll(cell, "|", `\|`)) + " ")
			}
		}
		b.WriteString("|\n")
	}
	lines := strings.SplitAfterN(b.String(), "\n", 3)
	lines[1] = strings.ReplaceAll(strings.ReplaceAll(lines[1], " ", ""), "|", "|---")
	lines[1] = strings.TrimSuffix(lines[1], "---\n") + "\n"
	return strings.Join(lines, "")
}

// code is a text in code spans, several joined by commas.
func code(texts ...string) string {
	if len(texts) == 0 {
		return ""
	}
	return "`" + strings.Join(texts, "`, `") + "`"
}

// What in plain text is a link or code in markdown: the alternatives of inText, in this order.
var inText = regexp.MustCompile(strings.Join([]string{
	`\b[\w.-]+/[\w.-]+#\d+`,               // a ticket
	`\b(?:github|cursor)\.com/[\w./-]*\w`, // the address of a repository or a page
	`https?://\S*\w`,                      // an address
	`\bdocs/\w+\.md`,                      // another document
	`[\w.]+ = (?:"[^"]*"|true|false)`,     // a key with its value
	`"[^"]*"`,                             // a value or a command
	`\[\[?[\w.]+\]\]?`,                    // the name of a table
	`--[a-z-]+(?: [\w.]+=[\w.]+| FILE)?`,  // a flag
	`[^\s"(),;:]*[_*<>/=~#^][^\s"(),;:]*`, // what is no word
	`\b[a-z]\w*\.[a-z]\w+(?:\.\w+)*`,      // the name of a key or a file
	`\b[a-z]+[A-Z]\w*|\b(?:true|false|null)\b`,
}, "|"))

// markdown is plain text as markdown: tickets and addresses are links, and code is in code spans.
func markdown(text string) string {
	return inText.ReplaceAllStringFunc(text, func(part string) string {
		repository, number, isTicket := strings.Cut(part, "#")
		inner := strings.Trim(part, `"`)
		switch {
		case isTicket && strings.Contains(repository, "/"):
			return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", part, repository, number)
		case strings.HasPrefix(part, "github.com/"), strings.HasPrefix(part, "cursor.com/"):
			return fmt.Sprintf("[%s](https://%s)", strings.TrimPrefix(part, "github.com/"), part)
		case strings.Contains(inner, "://") && inner == part:
			return "<" + part + ">"
		case strings.HasPrefix(part, "docs/"):
			return fmt.Sprintf("[%s](%s)", part, strings.TrimPrefix(part, "docs/"))
		case strings.HasPrefix(inner, "acpshim "):
			return code(inner)
		}
		word := part
		if !strings.HasSuffix(part, "...") {
			word = strings.TrimSuffix(part, ".")
		}
		return code(word) + part[len(word):]
	})
}
