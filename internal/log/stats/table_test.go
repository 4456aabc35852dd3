package stats

import "testing"

func TestLasted(t *testing.T) {
	if got := Lasted(nil); got != "-" {
		t.Errorf("no time: %q", got)
	}
	for ms, want := range map[float64]string{0: "0 ms", 12.34: "12.3 ms", 999.4: "999 ms", 999.5: "1.00 s", 123456: "123.46 s"} {
		if got := Lasted(&ms); got != want {
			t.Errorf("%v ms: %q, want %q", ms, got, want)
		}
	}
}
