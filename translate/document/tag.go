package document

import (
	"html"
	"strings"
)

// entity writes the character that an entity stands for.
func (p *inliner) entity(rest string) {
	one := rest[:1+strings.IndexByte(rest[:min(len(rest), 32)], ';')]
	if text := html.UnescapeString(one); text != one {
		p.write(text, len(one))
		return
	}
	p.write("&", 1)
}

// tag takes out a comment and a tag that only styles, and the brackets of a bare address.
// Other words in angle brackets are text.
func (p *inliner) tag(rest string) {
	end := strings.IndexByte(rest, '>')
	switch {
	case strings.HasPrefix(rest, "<!--"):
		comment, _, _ := strings.Cut(rest, "-->")
		p.at = min(len(p.in), p.at+len(comment)+len("-->"))
	case beginsWithTag(rest):
		if strings.HasPrefix(rest, "<br") {
			p.out = append(p.out, ' ')
		}
		p.at += end + 1
	case strings.HasPrefix(rest, "<http") && end > 0 && strings.IndexByte(rest[:end], ' ') < 0:
		p.write(rest[1:end], end+1)
	default:
		p.write("<", 1)
	}
}

// maxTag bounds a tag, attributes included.
const maxTag = 256

// tags are the names of tags that can stand in markdown.
var tags = " a b i u s p br hr em del div img ins kbd sub sup code font mark span small strong center" +
	" details summary table tr td th ul ol li "

// beginsWithTag reports whether a text begins with a tag of HTML that can stand in markdown.
func beginsWithTag(text string) bool {
	if !strings.HasPrefix(text, "<") {
		return false
	}
	inside, _, closed := strings.Cut(text[:min(len(text), maxTag)], ">")
	name := strings.TrimPrefix(inside[1:], "/")
	if i := strings.IndexAny(name, " \t/"); i >= 0 {
		name = name[:i]
	}
	return closed && name != "" && strings.Contains(tags, " "+strings.ToLower(name)+" ")
}
