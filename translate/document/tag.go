package document

import (
	"html"
	"strings"
)

func (p *inliner) entity() {
	if end := strings.IndexByte(p.in[p.at:min(len(p.in), p.at+32)], ';'); end > 1 {
		if one := p.in[p.at : p.at+end+1]; html.UnescapeString(one) != one {
			p.out = append(p.out, html.UnescapeString(one)...)
			p.at += end + 1
			return
		}
	}
	p.out = append(p.out, '&')
	p.at++
}

// tag takes out a comment and a tag that only styles, and the brackets of a
// bare address. Other words in angle brackets are text.
func (p *inliner) tag() {
	rest := p.in[p.at:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		if end := strings.Index(rest, "-->"); end >= 0 {
			p.at += end + 3
		} else {
			p.at = len(p.in)
		}
		return
	case beginsWithTag(rest):
		if strings.HasPrefix(rest, "<br") {
			p.out = append(p.out, ' ')
		}
		p.at += strings.IndexByte(rest, '>') + 1
		return
	case strings.HasPrefix(rest, "<http"):
		if end := strings.IndexByte(rest, '>'); end > 0 && strings.IndexByte(rest[:end], ' ') < 0 {
			p.out = append(p.out, rest[1:end]...)
			p.at += end + 1
			return
		}
	}
	p.out = append(p.out, '<')
	p.at++
}

// maxTag bounds a tag, attributes included.
const maxTag = 256

// beginsWithTag reports whether a text begins with a tag of HTML that can stand in
// markdown.
func beginsWithTag(text string) bool {
	if len(text) < 3 || text[0] != '<' {
		return false
	}
	end := strings.IndexByte(text[:min(len(text), maxTag)], '>')
	if end < 0 {
		return false
	}
	name := strings.TrimPrefix(text[1:end], "/")
	if i := strings.IndexAny(name, " \t/"); i >= 0 {
		name = name[:i]
	}
	switch strings.ToLower(name) {
	case "a", "b", "i", "u", "s", "p", "br", "hr", "em", "del", "div", "img", "ins", "kbd", "sub", "sup", "code", "font",
		"mark", "span", "small", "strong", "center", "details", "summary", "table", "tr", "td", "th", "ul", "ol", "li":
		return true
	}
	return false
}
