package store

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reportFor is how long a report that was opened is kept at least.
const reportFor = 24 * time.Hour

// NewReport returns the path of a file, which is not there, for a report to be looked at now: in a
// folder of the user's state that nobody else can read. Reports there that are older than a day are
// removed.
func NewReport(now time.Time) (path string, err error) {
	state, err := StateFolder()
	if err != nil {
		return "", fmt.Errorf("there is no folder for reports: %w", err)
	}
	dir := filepath.Join(state, "acpshim", "reports")
	folder, err := openFolder(state, dir)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if err := folder.Chmod(".", 0o700); err != nil {
		return "", inFolder(dir, err)
	}
	removeReports(folder, now.Add(-reportFor))
	return filepath.Join(dir, reportPrefix+rand.Text()[:12]+".html"), nil
}

const reportPrefix = "report-"

// removeReports removes the reports that were written before a time, and nothing else. One that
// cannot be removed stays for the next time.
func removeReports(folder *os.Root, before time.Time) {
	opened, err := folder.Open(".")
	if err != nil {
		return
	}
	defer opened.Close()
	files, _ := opened.ReadDir(-1)
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasPrefix(f.Name(), reportPrefix) && info.ModTime().Before(before) {
			folder.Remove(f.Name())
		}
	}
}
