package report

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestBrowser opens reports in a real browser. It needs ACPSHIM_BROWSER, the path of
// a Chromium, and "npm ci" in testdata/browser. ACPSHIM_SHOTS is a folder for pictures
// of what there was to see, and ACPSHIM_CHECKS names the checks that are run, all of them if it is
// empty.
func TestBrowser(t *testing.T) {
	browser := os.Getenv("ACPSHIM_BROWSER")
	if browser == "" {
		t.Skip("ACPSHIM_BROWSER names no Chromium")
	}
	dir := t.TempDir()
	for name, source := range map[string]string{
		"conversation": conversation(1),
		"hostile":      hostile,
		"sessions":     sessions,
		"changes":      changes,
		"large":        conversation(1300),
	} {
		f, err := os.Create(filepath.Join(dir, name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(f, read(t, source), Options{Name: name}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	counts, err := json.Marshal(filterCounts)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c := exec.Command("node", "check.mjs", browser, dir, string(counts), os.Getenv("ACPSHIM_SHOTS"))
	c.Dir = "testdata/browser"
	out, err := c.CombinedOutput()
	t.Logf("%s(%v)", out, time.Since(begun).Round(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
}
