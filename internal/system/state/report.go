package state

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reportAge is how long reports are kept at least.
const reportAge = 24 * time.Hour

// NewReport returns a path for a report that is to be opened now. The file does not exist yet, and
// nobody else can read its folder. NewReport removes older reports from the folder.
func NewReport(now time.Time) (path string, err error) {
	state, err := Folder()
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
	removeReports(folder, now.Add(-reportAge))
	return filepath.Join(dir, reportPrefix+rand.Text()[:12]+".html"), nil
}

const reportPrefix = "report-"

// removeReports removes the reports that were written before a time, and no other files. The next
// call tries again to remove what this one cannot.
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
