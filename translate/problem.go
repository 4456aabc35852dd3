package translate

import (
	"errors"
	"fmt"
	"strings"
)

// problems are what is wrong with a document, the first few of them.
type problems struct {
	first []string
	more  int
}

const maxProblems = 5

func (p *problems) add(format string, args ...any) {
	if len(p.first) == maxProblems {
		p.more++
		return
	}
	p.first = append(p.first, fmt.Sprintf(format, args...))
}

func (p *problems) err(convention string) error {
	if len(p.first) == 0 {
		return nil
	}
	text := convention + ": " + strings.Join(p.first, "; ")
	if p.more > 0 {
		text += fmt.Sprintf("; and %d more", p.more)
	}
	return errors.New(text)
}

// quoted quotes foreign text for a person, shortened.
func quoted(text string) string { return fmt.Sprintf("%q", clip(text, 40)) }
