package wire

import "testing"

// holding holds lines and doubles them.
type holding struct{ Base }

func (holding) Inspect(_ []byte, whole bool) Verdict { return Hold }

func (holding) Rewrite(dst, line []byte) ([]byte, []string) {
	return append(append(dst, line...), line...), []string{"twice"}
}

func TestApply(t *testing.T) {
	if out, by := Apply(Base{}, []byte("x"), []byte("a")); string(out) != "xa" || by != nil {
		t.Errorf("a line that passes: %q, %q", out, by)
	}
	if out, by := Apply(holding{}, []byte("x"), []byte("a")); string(out) != "xaa" || len(by) != 1 || by[0] != "twice" {
		t.Errorf("a line that is held: %q, %q", out, by)
	}
}
