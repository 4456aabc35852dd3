package wire

import "testing"

// holding holds lines and doubles them.
type holding struct{ Base }

func (holding) Inspect(_ []byte, whole bool) Verdict { return Hold }

func (holding) Rewrite(dst, line []byte) ([]byte, Change) {
	return append(append(dst, line...), line...), MadeBy("twice", Reason{Text: "why"})
}

func TestApply(t *testing.T) {
	if out, by := Apply(Base{}, []byte("x"), []byte("a")); string(out) != "xa" || len(by.Names()) > 0 {
		t.Errorf("a line that passes: %q, %v", out, by)
	}
	if out, by := Apply(holding{}, []byte("x"), []byte("a")); string(out) != "xaa" || len(by.By) != 1 || by.By[0].Why.Text != "why" {
		t.Errorf("a line that is held: %q, %v", out, by)
	}
}
