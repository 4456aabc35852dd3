package editor

import (
	"strings"
	"testing"
)

// Settings that are nested very deep are refused, not followed down the stack.
func TestDeepSettings(t *testing.T) {
	deep := strings.Repeat("[", 4<<20)
	if _, err := Parse([]byte(`{"a":` + deep)); err == nil || !strings.Contains(err.Error(), "levels deep") {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{`{"a":"` + deep[:5000] + `\""} // ` + deep[:5000], "{/*" + deep[:5000] + "*/}", strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900)} {
		if _, err := Parse([]byte(text)); err != nil {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}
