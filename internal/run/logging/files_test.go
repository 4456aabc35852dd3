package logging

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/adapters/files"

	"github.com/rs/zerolog"
)

// An agent may name a path of any length: the log has its beginning, and all of one that can exist.
func TestLongPathsAreCut(t *testing.T) {
	for length, want := range map[int]int{4000: 4000, 1 << 20: 4095} {
		var out bytes.Buffer
		Files(zerolog.New(&out))(files.Request{Path: strings.Repeat("x", length)}, files.ErrOutside)
		if got := strings.Count(out.String(), "x"); got != want {
			t.Errorf("of a path of %d characters %d are logged, want %d", length, got, want)
		}
	}
}

// A path may have a token in it, which is no part of a log.
func TestPathsAreLoggedWithoutSecrets(t *testing.T) {
	var out bytes.Buffer
	token := "gh" + "p_Zq7vB2nK4xW8mT1pZq7vB2nK4xW8mT000001"
	Files(zerolog.New(&out))(files.Request{Path: "/work/" + token + "/a.txt"}, files.ErrOutside)
	if strings.Contains(out.String(), token) || !strings.Contains(out.String(), "/a.txt") {
		t.Errorf("it is %s", out.String())
	}
}
