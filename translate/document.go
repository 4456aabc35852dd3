package translate

import (
	"bytes"
	"slices"
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
// first line. Prose reports whether the document says more than that: other
// text than its title, the headings above its lists, and comments.
//
// Time is linear in the text: it is cut at 256 KiB, and lines made to nest
// deeply (the parser is quadratic on them) count as prose.
func Render(document string) (entries []Entry, prose bool) {
	var r Renderer
	return r.Render(document)
}

// A Renderer renders the states of one document, as [Render] does, and reads
// only what is new: a document that is streamed comes whole with each update.
// The zero Renderer is ready for use, by one goroutine at a time.
type Renderer struct{ read reading }

// Render renders the next state.
func (r *Renderer) Render(document string) (entries []Entry, prose bool) {
	source, cut := tame(document)
	from := r.read.keep(source)
	doc := newMarkdownParser().Parse(text.NewReader(source[from:]))
	r.read.walk(doc, from, 0, 0)

	chosen, said := r.read.choose()
	entries, short := r.read.entries(chosen)
	return entries, cut || short || len(r.read.blocks) > said
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
	at       int    // where it stands in the source
	content  string // plain text
	status   Status
	priority Priority
	level    int // of a heading
}

// A reading is what a walk over a document found, each kind in order.
type reading struct {
	source []byte

	tasks, ordered, heads, bullets []point

	blocks  []int  // where pieces of text that are no headings stand
	first   string // the first line that is no code, if there is no heading or list
	firstAt int    // where it stands
	alone   bool   // and nothing else is in that piece
	starts  []int  // where reading can begin anew
}

// keep forgets what the reading knows of its source but for the beginning that
// next shares with it, and returns where next has to be read from.
//
// Blocks are closed by what follows them and depend on nothing but what is
// before: where a line began a block at the top level, it does so in every text
// that is the same up to the end of that line.
func (r *reading) keep(next []byte) (from int) {
	shared := 0
	for n := min(len(r.source), len(next)); shared < n; {
		step := min(4096, n-shared)
		if !bytes.Equal(r.source[shared:shared+step], next[shared:shared+step]) {
			for r.source[shared] == next[shared] {
				shared++
			}
			break
		}
		shared += step
	}
	kept := 0
	for i, at := range slices.Backward(r.starts) {
		if at < shared && bytes.IndexByte(next[at:shared], '\n') >= 0 {
			from, kept = at, i
			break
		}
	}
	before := func(points []point) []point {
		n, _ := slices.BinarySearchFunc(points, from, func(p point, at int) int { return p.at - at })
		return points[:n]
	}
	r.source = next
	r.starts = r.starts[:kept]
	r.tasks, r.ordered, r.heads, r.bullets = before(r.tasks), before(r.ordered), before(r.heads), before(r.bullets)
	n, _ := slices.BinarySearch(r.blocks, from)
	r.blocks = r.blocks[:n]
	if r.firstAt >= from {
		r.first = ""
	}
	return from
}

// choose returns the points that are the plan, and how many of the blocks they
// say.
func (r *reading) choose() (points []point, said int) {
	for _, points := range [][]point{r.tasks, r.ordered} {
		if slices.ContainsFunc(points, func(p point) bool { return p.content != "" }) {
			return points, len(points)
		}
	}
	// A single section does not divide: it only names what is in it.
	if points := r.sections(); len(points) > 1 || len(points) == 1 && len(r.bullets) == 0 {
		if len(points)+1 < len(r.heads) || len(points) < len(r.heads) && r.heads[0].level >= points[0].level {
			return points, -1 // headings besides these and the title are more to say
		}
		return points, 0
	}
	if len(r.bullets) > 0 {
		return r.bullets, len(r.bullets)
	}
	if r.first != "" && r.alone {
		said = 1
	}
	return []point{{content: inline(r.first), status: Pending}}, said
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

// walk visits the blocks below n, whose source begins at base. Lists and
// ordered count the lists around them.
func (r *reading) walk(n ast.Node, base, lists, ordered int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.List:
			if c.IsOrdered() {
				r.walk(c, base, lists+1, ordered+1)
			} else {
				r.walk(c, base, lists+1, ordered)
			}
		case *ast.ListItem:
			r.item(c, base, lists, ordered)
			r.walk(c, base, lists, ordered)
		case *ast.Heading:
			if content, at := r.text(c, base); content != "" {
				r.start(at, lists)
				r.heads = append(r.heads, point{at: at, content: inline(content), status: Pending, level: c.Level})
			}
		case *ast.HTMLBlock:
			if content, _ := r.text(c, base); withoutComments(content) != "" {
				r.piece(c, base)
			}
		case *ast.Paragraph:
			if _, at := r.text(c, base); at >= 0 {
				r.start(at, lists)
			}
			r.piece(c, base)
		case *ast.TextBlock, *ast.FencedCodeBlock, *ast.CodeBlock:
			r.piece(c, base)
		}
	}
}

// withoutComments is what HTML says besides its comments. One that is not closed
// yet may still be.
func withoutComments(html string) string {
	said := ""
	for {
		before, rest, found := strings.Cut(html, "<!--")
		said += before
		if !found {
			return strings.TrimSpace(said)
		}
		_, html, _ = strings.Cut(rest, "-->")
	}
}

// start notes that the line of at begins a block at the top level.
func (r *reading) start(at, lists int) {
	if lists == 0 {
		r.starts = append(r.starts, bytes.LastIndexByte(r.source[:at], '\n')+1)
	}
}

// piece notes a block that is no heading.
func (r *reading) piece(n ast.Node, base int) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	first := lines.At(0)
	r.blocks = append(r.blocks, base+first.Start)
	_, code := n.(*ast.CodeBlock)
	_, fence := n.(*ast.FencedCodeBlock)
	if r.first == "" && !code && !fence {
		r.first = strings.TrimSpace(string(first.Value(r.source[base:])))
		r.firstAt, r.alone = base+first.Start, lines.Len() == 1
	}
}

// item notes a list item by what its first block says.
func (r *reading) item(n *ast.ListItem, base, lists, ordered int) {
	block := n.FirstChild()
	if block == nil {
		return
	}
	switch block.(type) {
	case *ast.Paragraph, *ast.TextBlock:
	default:
		return
	}
	content, at := r.text(block, base)
	if content == "" {
		return
	}
	if line := bytes.LastIndexByte(r.source[:at], '\n') + 1; lists == 1 && isMarker(r.source[line]) {
		r.start(at, 0)
	}
	if sign, task, ok := checkbox(content); ok {
		plain := inline(task)
		status, priority := boxed(sign, plain, holdsBoxes(n, r.source[base:]))
		if struck := strings.Trim(task, "~"); plain == "" && struck != "" {
			plain = inline(struck)
			if status != Completed {
				status = dropped // all of it is struck: it was given up
			}
		}
		r.tasks = append(r.tasks, point{at: at, content: plain, status: status, priority: priority})
		return
	}
	switch p := (point{at: at, content: inline(content), status: Pending}); {
	case n.Parent().(*ast.List).IsOrdered() && ordered == 1:
		r.ordered = append(r.ordered, p)
	case lists == 1:
		r.bullets = append(r.bullets, p)
	}
}

// holdsBoxes reports whether an item has a list with a box below it.
func holdsBoxes(n *ast.ListItem, source []byte) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		list, ok := c.(*ast.List)
		if !ok {
			continue
		}
		for item := list.FirstChild(); item != nil; item = item.NextSibling() {
			if block := item.FirstChild(); block != nil && block.Type() == ast.TypeBlock && block.Lines().Len() > 0 {
				first := block.Lines().At(0)
				if _, _, ok := checkbox(strings.TrimSpace(string(first.Value(source)))); ok {
					return true
				}
			}
		}
	}
	return false
}

// isMarker reports whether a line that begins with c, and is the first of a list
// item, begins with the item's marker.
func isMarker(c byte) bool { return c == '-' || c == '*' || c == '+' || '0' <= c && c <= '9' }

// text is what a block says, on one line, and where it begins: -1 if it says
// nothing.
func (r *reading) text(n ast.Node, base int) (content string, at int) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return "", -1
	}
	at = base + lines.At(0).Start
	if lines.Len() == 1 {
		first := lines.At(0)
		content = strings.TrimSpace(string(first.Value(r.source[base:])))
		if !strings.Contains(content, "  ") && !strings.ContainsAny(content, "\t\r") {
			return content, at
		}
	}
	return strings.Join(strings.Fields(string(lines.Value(r.source[base:]))), " "), at
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
