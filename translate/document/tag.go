package document

import (
	"html"
	"strings"
)

// entity writes the character of an entity such as &amp;.
func (p *inliner) entity(rest string) {
	one := rest[:1+strings.IndexByte(rest[:min(len(rest), 32)], ';')]
	if text := html.UnescapeString(one); text != one {
		p.write(text, len(one))
		return
	}
	p.write("&", 1)
}

// tag removes a comment, a tag that can be in markdown, or the brackets of an address. Other words
// in angle brackets are text.
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

// maxTag is the maximum length of a tag with its attributes.
const maxTag = 256

// tags are the names of HTML tags that can be in markdown.
var tags = " a b i u s p br hr em del div img ins kbd sub sup code font mark span small strong center" +
	" details summary table tr td th ul ol li "

// beginsWithTag reports whether a text begins with one of tags.
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
