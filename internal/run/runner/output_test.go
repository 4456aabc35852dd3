package runner

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// The end of the output is kept as whole characters, in whichever pieces it comes.
func TestOutputKeepsTheEnd(t *testing.T) {
	all := strings.Repeat("aé€😀\n", 30_000)
	for _, keep := range []int{0, 1, 10, 4096, 1 << 20} {
		r := rand.New(rand.NewPCG(1, uint64(keep)))
		o := output{keep: keep}
		for rest := all; rest != ""; {
			n := min(len(rest), 1+r.IntN(9000))
			o.write([]byte(rest[:n]))
			rest = rest[n:]
			if len(o.text) > keep+slack {
				t.Fatalf("%d bytes are there, %d are kept", len(o.text), keep)
			}
		}
		o.end()
		got, truncated := o.last(1 << 20)
		if !strings.HasSuffix(all, got) || !utf8.ValidString(got) || len(got) < min(keep, len(all))-3 || len(got) > keep {
			t.Errorf("%d of %d bytes, %q", len(got), keep, got[:min(len(got), 20)])
		}
		if truncated != (len(got) < len(all)) {
			t.Errorf("truncated is %v, with %d of %d bytes", truncated, len(got), len(all))
		}
	}
}

func TestOutputIsValid(t *testing.T) {
	for _, c := range []struct {
		writes []string
		last   int
		want   string
		ended  string // after end
	}{
		{[]string{"a\xe2", "\x82"}, 9, "a", "a\ufffd"},
		{[]string{"a\xe2", "\x82", "\xac"}, 9, "a€", "a€"},
		{[]string{"\xff\xfeb", "\xc3("}, 9, "\ufffdb\ufffd(", "\ufffdb\ufffd("},
		{[]string{"a€€"}, 5, "€", "€"},
		{[]string{"€€"}, 2, "", ""},
	} {
		o := output{keep: 9}
		for _, w := range c.writes {
			o.write([]byte(w))
		}
		got, _ := o.last(c.last)
		o.end()
		if ended, _ := o.last(c.last); got != c.want || ended != c.ended {
			t.Errorf("%q: got %q, then %q, want %q and %q", c.writes, got, ended, c.want, c.ended)
		}
	}
}
