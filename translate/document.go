package translate

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxDocument is how much of a document is rendered, in bytes; what stands
// behind it is prose.
const maxDocument = 256 << 10

// Render reads a markdown document as a plan: its task list items, else the
// items of its ordered lists, else its headings, else its bullets, else its
// first line. Prose reports whether the document says more than that.
//
// Time is linear in the text: it is cut at 256 KiB, and lines made to nest
// deeply (the parser is quadratic on them) count as prose.
func Render(document string) (entries []Entry, prose bool) {
	source, cut := tame(document)
	doc := newMarkdownParser().Parse(text.NewReader(source))
	r := reading{source: source}
	r.walk(doc, 0, 0)

	chosen, said := r.choose()
	for _, p := range chosen {
		if e, ok := legalEntry(p.content, "", string(p.status), nil); ok {
			entries = append(entries, e)
		}
	}
	return entries, cut || r.blocks > said
}

// newMarkdownParser has only what tells steps from text. Quotes, emphasis and
// links are left out: they are quadratic on hostile input.
func newMarkdownParser() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
}

// A point is a part of a document that can become an entry.
type point struct {
	content string
	status  Status
	level   int // of a heading
}

// A reading is what a walk over a document found, each kind in order.
type reading struct {
	source []byte

	tasks, ordered, heads, bullets []point

	blocks int    // pieces of text that are no headings
	first  string // the first line of the first of them
	alone  bool   // and nothing else is in that piece
}

// choose returns the points that are the plan, and how many of the blocks they
// say.
func (r *reading) choose() (points []point, said int) {
	for _, points := range [][]point{r.tasks, r.ordered} {
		if len(points) > 0 {
			return points, len(points)
		}
	}
	if points := r.sections(); len(points) > 0 {
		return points, 0
	}
	if len(r.bullets) > 0 {
		return r.bullets, len(r.bullets)
	}
	if r.alone {
		said = 1
	}
	return []point{{content: r.first, status: Pending}}, said
}

// sections returns the headings that name steps: not the title, and of the
// rest the highest level that divides.
func (r *reading) sections() []point {
	heads := r.heads
	if len(heads) > 1 && heads[0].level == 1 && count(heads[1:], 1) == 0 {
		heads = heads[1:]
	}
	top := 0
	for level := 6; level >= 1; level-- {
		if n := count(heads, level); n > 1 || n > 0 && (top == 0 || count(heads, top) == 1) {
			top = level
		}
	}
	var points []point
	for _, h := range heads {
		if h.level == top {
			points = append(points, h)
		}
	}
	return points
}

func count(heads []point, level int) (n int) {
	for _, h := range heads {
		if h.level == level {
			n++
		}
	}
	return n
}

// walk visits the blocks below n. Lists and ordered count the lists around it.
func (r *reading) walk(n ast.Node, lists, ordered int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.List:
			if c.IsOrdered() {
				r.walk(c, lists+1, ordered+1)
			} else {
				r.walk(c, lists+1, ordered)
			}
		case *ast.ListItem:
			r.item(c, lists, ordered)
			r.walk(c, lists, ordered)
		case *ast.Heading:
			if content := r.text(c); content != "" {
				r.heads = append(r.heads, point{content: content, status: Pending, level: c.Level})
			}
		case *ast.HTMLBlock:
			if !bytes.HasPrefix(bytes.TrimSpace(c.Lines().Value(r.source)), []byte("<!--")) {
				r.piece(c)
			}
		case *ast.Paragraph, *ast.TextBlock, *ast.FencedCodeBlock, *ast.CodeBlock:
			r.piece(c)
		}
	}
}

// piece notes a block that is no heading.
func (r *reading) piece(n ast.Node) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	r.blocks++
	if r.blocks == 1 {
		first := lines.At(0)
		r.first = strings.TrimSpace(string(first.Value(r.source)))
		r.alone = lines.Len() == 1
	}
}

var checkbox = regexp.MustCompile(`^\[([ xX])\](?:\s+|$)`)

// item notes a list item by what its first block says.
func (r *reading) item(n *ast.ListItem, lists, ordered int) {
	block := n.FirstChild()
	if block == nil {
		return
	}
	switch block.(type) {
	case *ast.Paragraph, *ast.TextBlock:
	default:
		return
	}
	content := r.text(block)
	if m := checkbox.FindStringSubmatch(content); m != nil {
		status := Pending
		if m[1] != " " {
			status = Completed
		}
		content = strings.TrimSpace(content[len(m[0]):])
		if content == "" {
			r.blocks-- // an empty box says nothing
			return
		}
		r.tasks = append(r.tasks, point{content: content, status: status})
		return
	}
	switch p := (point{content: content, status: Pending}); {
	case content == "":
	case n.Parent().(*ast.List).IsOrdered() && ordered == 1:
		r.ordered = append(r.ordered, p)
	case lists == 1:
		r.bullets = append(r.bullets, p)
	}
}

// text is what a block says, on one line.
func (r *reading) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(n.Lines().Value(r.source))), " ")
}

// tame cuts a document to what is rendered and takes out what only an attacker
// writes: lines with more list markers, or deeper, than any plan, and runs of
// blank lines, each of which the parser hands down through all open lists.
func tame(document string) (source []byte, cut bool) {
	document = strings.TrimPrefix(document, "\ufeff")
	if len(document) > maxDocument {
		document = document[:maxDocument]
		document = document[:strings.LastIndexByte(document, '\n')+1]
		cut = true
	}
	source = make([]byte, 0, len(document))
	wasBlank := false
	for line := range strings.Lines(document) {
		if tooDeep(line) {
			line, cut = "\n", true
		}
		blank := strings.TrimSpace(line) == ""
		if !blank || !wasBlank {
			source = append(source, line...)
		}
		wasBlank = blank
	}
	return source, cut
}

const (
	maxMarkers = 16 // list markers at the start of a line
	maxIndent  = 64 // columns before the text
)

func tooDeep(line string) bool {
	markers, column := 0, 0
	for i, c := range []byte(line) {
		switch {
		case c == ' ':
			column++
		case c == '\t':
			column += 4
		case strings.IndexByte("-+*.)0123456789", c) < 0:
			return markers > maxMarkers || column > maxIndent
		case i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			markers++
		}
	}
	return markers > maxMarkers || column > maxIndent
}
