package document

import (
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// The test compares the boxes of random documents with those of a CommonMark parser. It generates
// no markdown that the scanner reads differently on purpose.
func TestScannerAgreesWithGoldmark(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	atoms := []string{
		"- [ ] a", "- [x] b", "  - [ ] c", "    - [x] d", "1. [ ] e", "1. [x] f", "* [ ] g", "", "", "plain words",
		"  more words", "# Heading", "## [x] Heading", "- note", "  - note", "> - [ ] quoted", "---", "<!-- - [ ] no -->",
	}
	fences := []string{"```\n- [ ] no\n```", "~~~\n# no\n- [x] no\n~~~", "````\n```\n- [ ] no\n````"}
	random := rand.New(rand.NewPCG(1, 2))
	parser := goldmark.New(goldmark.WithExtensions(extension.TaskList)).Parser()
	for range 10_000 {
		var lines []string
		for range 1 + random.IntN(10) {
			if random.IntN(8) == 0 {
				lines = append(lines, "", fences[random.IntN(len(fences))], "")
			} else {
				lines = append(lines, atoms[random.IntN(len(atoms))])
			}
		}
		document := strings.Join(lines, "\n") + "\n"
		var want []bool
		ast.Walk(parser.Parse(text.NewReader([]byte(document))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if box, ok := n.(*east.TaskCheckBox); ok && entering {
				want = append(want, box.IsChecked)
			}
			return ast.WalkContinue, nil
		})
		s := scanner{section: -1}
		s.scan(document)
		var got []bool
		for _, b := range s.blocks {
			if b.kind == item && b.box.sign != 0 {
				got = append(got, b.box.status() == entry.Completed)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("boxes of %q (-goldmark +scanner):\n%s", document, diff)
		}
	}
}
