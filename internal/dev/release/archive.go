package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"time"
)

// A File is one of a package. Name has slashes.
type File struct {
	Name       string
	Data       []byte
	Executable bool
}

func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// in returns files with a folder before their names.
func in(folder string, files ...File) []File {
	moved := make([]File, len(files))
	for i, f := range files {
		f.Name = path.Join(folder, f.Name)
		moved[i] = f
	}
	return moved
}

// Archive is what people download: the binary and the files in a folder, as a .zip for Windows and
// a .tar.gz for others.
func (b Build) Archive(files ...File) (File, error) {
	name := fmt.Sprintf("acpshim_%s_%s_%s", b.Version, b.OS, b.Arch)
	all := append([]File{b.program(name + "/")}, in(name, files...)...)
	if b.OS == "windows" {
		data, err := zipped(b.Time, all)
		return File{Name: name + ".zip", Data: data}, err
	}
	data, err := tarred(b.Time, all)
	return File{Name: name + ".tar.gz", Data: data}, err
}

// Gzip compresses as well as gzip can. The result has no name and no time in it.
func Gzip(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// tarred is a compressed tar archive of files without an owner, all of one time.
func tarred(at time.Time, files []File) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		head := &tar.Header{
			Name: f.Name, Size: int64(len(f.Data)), Mode: int64(f.mode()), ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return Gzip(out.Bytes())
}

func zipped(at time.Time, files []File) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: at}
		head.SetMode(f.mode())
		part, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
