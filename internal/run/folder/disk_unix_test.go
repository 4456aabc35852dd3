//go:build unix

package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/adapters/files"
)

// ask starts a request and waits for it.
func ask(t *testing.T, d *Disk, r files.Request) (text string, err error) {
	t.Helper()
	done := make(chan struct{})
	started := d.Start(r, func(got string, why error) {
		text, err = got, why
		close(done)
	})
	if started != nil {
		return "", started
	}
	<-done
	return text, err
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// project creates the folder of a session and another folder next to it.
func project(t *testing.T) (root, outside string) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, outside = filepath.Join(base, "root"), filepath.Join(base, "outside")
	must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755), os.Mkdir(outside, 0o755),
		os.WriteFile(filepath.Join(root, "a"), []byte("a\r\nb"), 0o755),
		os.WriteFile(filepath.Join(root, "fixed"), []byte("fixed"), 0o444),
		os.WriteFile(filepath.Join(root, "latin1"), []byte("\xe4"), 0o644),
		os.WriteFile(filepath.Join(root, "sub", "b"), []byte("b"), 0o644),
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644),
		syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644),
		os.Symlink(root, filepath.Join(base, "alias")), os.Symlink("/", filepath.Join(base, "all")))
	for link, to := range map[string]string{
		"in": "sub/b", "insub": "sub", "out": "../outside/secret", "outdir": "../outside", "absolute": outside + "/secret",
		"new": "../outside/new", "loop": "loop", "dangling": "nothing", "null": "/dev/null",
	} {
		must(t, os.Symlink(to, filepath.Join(root, link)))
	}
	return root, outside
}

const escapes = "outside the session's folders"

// The same files may be read and written.
func TestOnlyFilesInsideAreTouched(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, test := range []struct{ path, folder, read, write string }{ // errors; "" is no error
		{"root/a", "root", "", ""},
		{"root/in", "root", "", ""},
		{"root/insub/b", "root", "", ""},
		{"alias/a", "alias", "", ""},
		{"root/a", "alias", "", ""},
		{"root/none", "root", "no such file", ""},
		{"root/x/y/z", "root", "no such file", ""},
		{"root/insub/new", "root", "no such file", ""},
		{"root/fixed", "root", "", "permission denied"},
		{"root/latin1", "root", "is not a text in UTF-8", ""},
		{"root/dangling", "root", "no such file", "is a link to a missing file"},
		{"root", "root", "is not a regular file", "is not a regular file"},
		{"root/sub", "root", "is not a regular file", "is not a regular file"},
		{"root/fifo", "root", "is not a regular file", "is not a regular file"},
		{"root/loop", "root", "too many", "too many"},
		{"root/a/b", "root", "not a directory", "not a directory"},
		{"root/" + long, "root", "too long", "too long"},
		{"root/" + long + "/b", "root", "too long", "too long"},
		{"root/A", "ROOT", escapes, escapes},
		{"root/../outside/secret", "root", escapes, escapes},
		{"root2", "root", escapes, escapes},
		{"root/out", "root", escapes, escapes},
		{"root/outdir/secret", "root", escapes, escapes},
		{"root/outdir/new", "root", escapes, escapes},
		{"root/outdir/x/new", "root", escapes, escapes},
		{"root/absolute", "root", escapes, escapes},
		{"root/new", "root", escapes, escapes},
		{"root/null", "root", escapes, escapes},
		{"outside/secret", "all", escapes, escapes},
	} {
		root, outside := project(t)
		base := filepath.Dir(root)
		path := filepath.Join(base, test.path)
		r := files.Request{Path: path, Folders: []string{"relative", filepath.Join(base, test.folder)}, Limit: -1}
		var before []byte
		if test.read == "" {
			before, _ = os.ReadFile(path)
		}
		text, err := ask(t, &Disk{}, r)
		check(t, "reading "+test.path, err, test.read)
		if test.read == "" && text != string(before) {
			t.Errorf("%s has %q, not %q", test.path, text, before)
		}
		r.IsWrite, r.Text = true, "new\n"
		_, err = ask(t, &Disk{}, r)
		check(t, "writing "+test.path, err, test.write)
		if test.write == "" {
			if after, _ := os.ReadFile(path); string(after) != r.Text {
				t.Errorf("%s has %q", test.path, after)
			}
		}
		if entries, _ := os.ReadDir(outside); len(entries) != 1 {
			t.Errorf("%s: there are %v outside", test.path, entries)
		}
		if left, _ := filepath.Glob(filepath.Join(root, "*", ".acpshim-*")); len(left) > 0 {
			t.Errorf("%s: %v are left", test.path, left)
		}
	}
}

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestTheRootOfADiskIsRefused(t *testing.T) {
	root, outside := project(t)
	for _, folders := range [][]string{{"/"}, {"//"}, {"/."}, {filepath.Join(root, "..", "all")}} {
		if _, err := ask(t, &Disk{}, files.Request{Path: outside + "/secret", Folders: folders, Limit: -1}); err != errWhole {
			t.Errorf("in %q: %v", folders, err)
		}
	}
	r := files.Request{Path: root + "/a", Folders: []string{"/", root}, Limit: -1}
	if text, err := ask(t, &Disk{}, r); text != "a\r\nb" || err != nil {
		t.Errorf("in a folder next to it: %q, %v", text, err)
	}
	r.Path = outside + "/secret"
	if _, err := ask(t, &Disk{}, r); err != files.ErrOutside {
		t.Errorf("in a folder next to that: %v", err)
	}
}

func TestWritingKeepsModesAndLinks(t *testing.T) {
	root, _ := project(t)
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	for name, mode := range map[string]fs.FileMode{"a": 0o755, "in": fs.ModeSymlink, "sub/b": 0o644, "x/y": 0o640} {
		_, err := ask(t, &Disk{}, files.Request{Path: filepath.Join(root, name), Folders: []string{root}, IsWrite: true, Text: name})
		must(t, err)
		info, err := os.Lstat(filepath.Join(root, name))
		must(t, err)
		if got := info.Mode(); got != mode && (mode != fs.ModeSymlink || got.Type() != mode) {
			t.Errorf("%s has mode %v, want %v", name, got, mode)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "x")); err != nil || info.Mode() != fs.ModeDir|0o750 {
		t.Errorf("the folder that was made: %v, %v", info, err)
	}
}

// A file that is replaced keeps its owner, if the user may set it, and its group.
func TestWritingKeepsOwners(t *testing.T) {
	root, _ := project(t)
	groups, err := os.Getgroups()
	must(t, err)
	uid, gid := os.Getuid(), -1
	if uid == 0 {
		uid, gid = 12345, 12346
	}
	for _, g := range groups {
		if gid < 0 && g != os.Getgid() {
			gid = g
		}
	}
	if gid < 0 {
		t.Skip("the user is in one group only")
	}
	must(t, os.Chown(root+"/a", uid, gid), os.Chmod(root+"/a", 0o664))
	_, err = ask(t, &Disk{}, files.Request{Path: root + "/a", Folders: []string{root}, IsWrite: true, Text: "new"})
	must(t, err)
	info, err := os.Stat(root + "/a")
	must(t, err)
	if is := info.Sys().(*syscall.Stat_t); int(is.Uid) != uid || int(is.Gid) != gid || info.Mode() != 0o664 {
		t.Errorf("it has owner %d, group %d, mode %v, want %d, %d", is.Uid, is.Gid, info.Mode(), uid, gid)
	}
}

// Whatever a link or a folder becomes while a file is written, nothing is read or written outside.
func TestLinksThatChangeLeadNowhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	root, outside := project(t)
	dir, link := filepath.Join(root, "swap"), filepath.Join(root, "swaplink")
	must(t, os.Mkdir(dir, 0o755), os.Mkdir(root+"/real", 0o755))
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(dir, dir+"-kept")
			os.Symlink(outside, dir)
			os.Remove(link)
			os.Symlink("../outside/secret", link)
			os.Remove(dir)
			os.Rename(dir+"-kept", dir)
			os.Remove(link)
			os.Symlink("a", link)
		}
	})
	var d Disk
	done, refused := 0, 0
	for i := range 600 {
		path := []string{dir + "/secret", dir + "/made", link}[i%3]
		r := files.Request{Path: path, Folders: []string{root}, IsWrite: i%2 == 0, Text: "theirs", Limit: -1}
		text, err := ask(t, &d, r)
		if text == "secret" {
			t.Fatalf("%s was read outside", path)
		}
		if err == nil {
			done++
		} else {
			refused++
		}
	}
	close(stop)
	swapping.Wait()
	if text, err := os.ReadFile(outside + "/secret"); string(text) != "secret" || err != nil {
		t.Errorf("the file outside has %q, %v", text, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside there are %v", entries)
	}
	if done == 0 || refused == 0 {
		t.Errorf("%d were done and %d refused: the test did not meet both", done, refused)
	}
}

// A folder whose disk does not answer keeps one goroutine, and a bounded number of requests: those
// of other folders are done.
func TestADeadDiskHoldsItsFolderOnly(t *testing.T) {
	root, outside := project(t)
	var d Disk
	dead, alive := make(chan struct{}), files.Request{Path: root + "/a", Folders: []string{root}, Limit: -1}
	hung := files.Request{Path: outside + "/secret", Folders: []string{outside}, Limit: -1}
	order := []int{}
	for i := range maxWaiting {
		must(t, d.Start(hung, func(string, error) {
			<-dead
			order = append(order, i)
		}))
	}
	if err := d.Start(hung, func(string, error) { t.Error("it was begun") }); err != errBusy {
		t.Errorf("one more: %v", err)
	}
	if text, err := ask(t, &d, alive); text != "a\r\nb" || err != nil {
		t.Errorf("in the other folder: %q, %v", text, err)
	}
	begun := time.Now()
	d.Close(10 * time.Millisecond)
	if err := d.Start(alive, func(string, error) { t.Error("it was begun") }); err != errEnded {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	close(dead)
	d.working.Wait()
	for i, n := range order {
		if i != n {
			t.Fatalf("the order is %v", order)
		}
	}
	if len(order) != maxWaiting || d.bytes != 0 || len(d.folders) != 0 {
		t.Errorf("%d were done, %d bytes and %d folders are left", len(order), d.bytes, len(d.folders))
	}
}

func TestWhatWaitsIsBounded(t *testing.T) {
	var d Disk
	gate := make(chan struct{})
	start := func(folder string, size int) error {
		r := files.Request{Path: folder + "/x", Folders: []string{folder}, IsWrite: true, Text: strings.Repeat("x", size)}
		return d.Start(r, func(string, error) { <-gate })
	}
	base := t.TempDir()
	in := func(i int) string { return filepath.Join(base, string(rune('a'+i))) }
	for i := range maxFolders {
		must(t, start(in(i), 0))
	}
	if err := start(in(maxFolders), 0); err != errBusy {
		t.Errorf("one folder more: %v", err)
	}
	must(t, start(in(0), maxBytes))
	if err := start(in(1), 1); err != errBusy {
		t.Errorf("one byte more: %v", err)
	}
	must(t, start(in(1), 0))
	close(gate)
	d.working.Wait()
	must(t, start(in(1), 1))
	d.working.Wait()
}

// A run that ends waits for what is being written.
func TestCloseWaitsForWrites(t *testing.T) {
	root, _ := project(t)
	var d Disk
	must(t, d.Start(files.Request{Path: root + "/late", Folders: []string{root}, IsWrite: true, Text: "late"}, func(string, error) {}))
	d.Close(time.Minute)
	if text, err := os.ReadFile(root + "/late"); string(text) != "late" || err != nil {
		t.Errorf("it has %q, %v", text, err)
	}
}
