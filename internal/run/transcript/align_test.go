package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// What differs is put beside what is the same, and ids that acpshim makes count by their place.
func TestAlign(t *testing.T) {
	lines := func(s string) (all [][]byte) {
		for _, l := range strings.Fields(s) {
			all = append(all, []byte(l))
		}
		return all
	}
	for _, tt := range []struct{ then, now, want string }{
		{"a b c", "a b c", ""},
		{"a b c", "a x c", "1:-b+x "},
		{"a b c", "a c", "1:-b "},
		{"a c", "a b c d", "1:+b 2:+d "},
		{"", "a", "0:+a "},
		{"acpshim-plan-0a a acpshim-plan-0a", "acpshim-plan-ff a acpshim-plan-ff", ""},
		{"acpshim-plan-0a acpshim-plan-0a", "acpshim-plan-0a acpshim-plan-0b", "1:-acpshim-plan-0a+acpshim-plan-0b "},
		{"acpshim-plan-0a acpshim-plan-0b acpshim-plan-0c", "acpshim-plan-0b acpshim-plan-0c", "0:-acpshim-plan-0a "},
		{"a-acpshim-plan-0a b-acpshim-plan-0b c-acpshim-plan-0b", "b-acpshim-plan-1b c-acpshim-plan-1b", "0:-a-acpshim-plan-0a "},
		{"acpshim-plan-0a:acpshim-plan-0b", "acpshim-plan-1a:acpshim-plan-1a", "0:-acpshim-plan-0a:acpshim-plan-0b+acpshim-plan-1a:acpshim-plan-1a "},
		{strings.Repeat("a ", 200), strings.Repeat("b ", 200), "0:" + strings.Repeat("-a", 200) + strings.Repeat("+b", 200) + " "},
	} {
		var got strings.Builder
		for _, d := range Align(lines(tt.then), lines(tt.now)) {
			fmt.Fprintf(&got, "%d:", d.At)
			for _, l := range d.Then {
				fmt.Fprintf(&got, "-%s", l)
			}
			for _, l := range d.Now {
				fmt.Fprintf(&got, "+%s", l)
			}
			got.WriteString(" ")
		}
		if got.String() != tt.want {
			t.Errorf("%q to %q: got %q, want %q", tt.then, tt.now, got.String(), tt.want)
		}
	}
}
