package lossy

import (
	"strings"
	"testing"
)

func TestTheEndIsKept(t *testing.T) {
	var s Tail
	for range 5 {
		s.Write([]byte(strings.Repeat("x", maxTail/2)))
	}
	s.Write([]byte("\nlast\n"))
	if got := s.String(); len(got) != maxTail || !strings.HasSuffix(got, "x\nlast\n") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-10:])
	}
	if n, err := s.Write([]byte(strings.Repeat("y", 3*maxTail))); n != 3*maxTail || err != nil || s.String() != strings.Repeat("y", maxTail) {
		t.Errorf("of one long write, %d, %v, %d bytes are kept", n, err, len(s.String()))
	}
}
