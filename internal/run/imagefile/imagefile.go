// Package imagefile writes the images of prompts to temporary files.
package imagefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"acpshim/internal/system/outfile"
)

// Bounds on the files of a run.
const (
	MaxFiles = 100
	MaxBytes = 64 << 20 // of all files
)

// A Folder is a temporary folder with the images of a run, which nobody else can read. The first
// image creates it. Its methods may be called from any goroutine. The zero value is ready for use.
type Folder struct {
	mu    sync.Mutex // protects the fields below
	path  string     // "" before the first image
	files int
	bytes int
	gone  bool // Remove was called
}

// ErrFull says that there are too many images.
var ErrFull = fmt.Errorf("the limit of %d images or %d bytes of temporary files is reached", MaxFiles, MaxBytes)

// Write writes an image to a new file and returns its absolute path. Extension has a dot.
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
			return "", fmt.Errorf("creating a folder for images: %w", err)
		}
	}
	f.files++
	path = filepath.Join(f.path, fmt.Sprintf("image-%d%s", f.files, extension))
	if err = outfile.Create(path, outfile.Text(image)); err != nil {
		return "", fmt.Errorf("writing an image: %w", err)
	}
	f.bytes += len(image)
	return path, nil
}

// Remove removes the folder with its images. Write fails from now on.
func (f *Folder) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
	if f.path == "" {
		return nil
	}
	return os.RemoveAll(f.path)
}
