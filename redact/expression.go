package redact

import (
	"regexp"
	"sync"
)

// An expression is compiled when it is first needed: most runs redact nothing, and start
// at once.
type expression func() *regexp.Regexp

func lazily(source string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// Match is that of regexp.Regexp.
func (e expression) Match(text []byte) bool { return e().Match(text) }

// FindSubmatchIndex is that of regexp.Regexp.
func (e expression) FindSubmatchIndex(text []byte) []int { return e().FindSubmatchIndex(text) }
