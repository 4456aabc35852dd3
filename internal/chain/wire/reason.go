package wire

import (
	"slices"
	"strings"
)

// A Reason says why something was done to a line. Declare each Reason as a variable of its package,
// so that its code stands in one place.
type Reason struct {
	// Code is for programs: the package, a dot, and words with hyphens, such as "turns.late-call".
	// It never changes. If it is "", the name of the Cause says all.
	Code string

	// Text is for people, in English. Each %s in it stands for the next of Values. It has no text
	// of the conversation.
	Text string

	Values []string // names and numbers, such as the id of a plan
}

// With returns the Reason with values.
func (r Reason) With(values ...string) Reason {
	r.Values = values
	return r
}

// String returns the Text with the Values in it.
func (r Reason) String() string {
	if len(r.Values) == 0 {
		return r.Text
	}
	var b strings.Builder
	rest := r.Text
	for _, value := range r.Values {
		before, after, _ := strings.Cut(rest, "%s")
		b.WriteString(before)
		b.WriteString(value)
		rest = after
	}
	b.WriteString(rest)
	return b.String()
}

// Size returns the length of the String without the code, in bytes.
func (r Reason) Size() int {
	n := len(r.Text)
	for _, value := range r.Values {
		n += len(value)
	}
	return n
}

func (r Reason) equal(other Reason) bool {
	return r.Code == other.Code && r.Text == other.Text && slices.Equal(r.Values, other.Values)
}
