package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"acpshim/internal/setup/wrap"
)

// find reports where the agent's program is and whether an editor finds it, too. A program that
// does not exist is reported when it is started.
func (x *examination) find(ctx context.Context) {
	name := x.Command[0]
	path, err := exec.LookPath(name)
	if err != nil {
		return
	}
	x.ok("command", short(path))
	where := x.EditorPath
	if where == "" {
		where = desktopPath(ctx)
	}
	x.starts(name, path, where)
}

// starts reports whether an editor with this PATH finds a program and what that program needs. An
// empty PATH stands for the PATH of this process.
func (x *examination) starts(name, path, where string) {
	isPath := filepath.Base(name) != name
	if !filepath.IsAbs(name) && isPath {
		x.note("command", "the path is relative to the folder in which the editor starts it", "write the absolute path in its settings")
	}
	if where == "" {
		return
	}
	only := " not in the PATH that a desktop gives editors (" + where + ")"
	found := path
	if !isPath {
		found = lookIn(where, name)
	}
	switch {
	case found == "":
		x.note("desktop", name+" is"+only, "write its absolute path there")
	case !sameFile(found, path):
		x.note("desktop", fmt.Sprintf("an editor with the desktop's PATH (%s) finds another program of this name: %s", where, short(found)),
			"write the absolute path of the one that you mean in its settings")
	}
	var missing []string
	for _, program := range needed(path) {
		if lookIn(where, program) == "" {
			missing = append(missing, program)
		}
	}
	switch {
	case missing != nil:
		x.note("desktop", filepath.Base(name)+" needs "+strings.Join(missing, ", ")+", which is"+only,
			"set PATH in the editor's entry: "+pathFor(missing, where))
	case found != "" && sameFile(found, path) && (filepath.IsAbs(name) || !isPath):
		x.ok("desktop", "editors find it with the desktop's PATH: "+where)
	}
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// pathFor returns the PATH where, preceded by the folders in which programs are found here.
func pathFor(programs []string, where string) string {
	var folders []string
	for _, program := range programs {
		if path, err := exec.LookPath(program); err == nil && !slices.Contains(folders, filepath.Dir(path)) {
			folders = append(folders, filepath.Dir(path))
		}
	}
	return strings.Join(append(folders, where), string(filepath.ListSeparator))
}

// needed returns the programs that a program needs in PATH: the interpreter that the first line of
// a script gives to env, and uv for uvx.
func needed(path string) (names []string) {
	if filepath.Base(path) == "uvx" {
		names = append(names, "uv")
	}
	if name := wrap.Interpreter(path); name != "" {
		names = append(names, name)
	}
	return names
}

// lookIn returns the path of a program in a PATH, or "".
func lookIn(where, name string) string {
	for _, folder := range filepath.SplitList(where) {
		if !filepath.IsAbs(folder) {
			continue // of the editor's folder nothing is known
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil { // on Windows by PATHEXT
			return path
		}
	}
	return ""
}

// desktopPath returns the PATH of programs that are started from the desktop: that of systemd's
// user manager, or the default of a login; on macOS that of launchd. It returns "" on Windows,
// where the shell and the desktop have the same PATH.
func desktopPath(ctx context.Context) string {
	switch runtime.GOOS {
	case "windows":
		return ""
	case "darwin":
		return "/usr/bin:/bin:/usr/sbin:/sbin"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "systemctl", "--user", "show-environment")
	c.WaitDelay = time.Second
	out, _ := c.Output()
	for line := range strings.Lines(string(out)) {
		if path, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "PATH="); ok && !strings.HasPrefix(path, "$") {
			return path
		}
	}
	return "/usr/local/bin:/usr/bin:/bin"
}
