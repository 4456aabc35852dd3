// Package imagefile writes the images of prompts to temporary files.
package imagefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"acpshim/internal/outfile"
)

// Bounds on the files of a run.
const (
	MaxFiles = 100
	MaxBytes = 64 << 20 // of all
)

// A Folder holds the images of a run: a folder of its own, made for the first one, that nobody else
// can read. Its methods may be called from any goroutine. The zero value is ready for use.
type Folder struct {
	mu    sync.Mutex // protects the fields below
	path  string     // "" before the first image
	files int
	bytes int
	gone  bool // Remove was called
}

// ErrFull is why an image is not written when there are too many.
var ErrFull = fmt.Errorf("%d images or %d bytes of a run are in temporary files, which is the limit", MaxFiles, MaxBytes)

// Write writes an image and returns the absolute path of its file, which only the user can read.
// Extension is that of the name, with its dot.
func (f *Folder) Write(extension string, image []byte) (path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == MaxFiles || f.bytes+len(image) > MaxBytes {
		return "", ErrFull
	}
	if f.gone {
		return "", errors.New("the run has ended")
	}
	if f.path == "" {
		if f.path, err = os.MkdirTemp("", "acpshim-images-"); err != nil {
			return "", fmt.Errorf("a folder for images: %w", err)
		}
	}
	f.files++
	path = filepath.Join(f.path, fmt.Sprintf("image-%d%s", f.files, extension))
	if err = outfile.Create(path, outfile.Text(image)); err != nil {
		return "", fmt.Errorf("an image: %w", err)
	}
	f.bytes += len(image)
	return path, nil
}

// Remove removes the folder with its images. Nothing is written afterwards.
func (f *Folder) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
	if f.path == "" {
		return nil
	}
	return os.RemoveAll(f.path)
}
