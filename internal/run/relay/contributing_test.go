package relay

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The code in docs/contributing/README.md equals the code in the files that it names.
func TestTheWalkThroughIsTheCode(t *testing.T) {
	text, err := os.ReadFile("../../../docs/contributing/README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)From `([^`]+\\.go)`:|```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	code, compared := "", 0
	for _, block := range blocks {
		if name := block[1]; name != "" {
			source, err := os.ReadFile("../../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			code = string(source)
			continue
		}
		if compared++; !strings.Contains(code, block[2]) {
			t.Errorf("this is not what the code says:\n%s", block[2])
		}
	}
	if compared < 6 {
		t.Errorf("%d blocks were compared", compared)
	}
}
