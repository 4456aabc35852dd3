package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxInstructions is the largest file that prompt.instructions may name, in bytes.
const maxInstructions = 64 << 10

// isInstructions reports whether prompt.instructions may have a value.
func isInstructions(path string) bool {
	return path == "" || filepath.IsAbs(path) || filepath.IsLocal(path)
}

// Instructions returns the text of the file that prompt.instructions names, or "".
func (c Config) Instructions() string { return c.texts[c.Prompt.Instructions] }

// readInstructions reads the files that prompt.instructions names, also in profiles, so that a run
// does not begin without them.
func (c *Config) readInstructions() (problems Problems) {
	const path = "prompt.instructions"
	read := func(name string, at Place) {
		if _, isRead := c.texts[name]; name == "" || isRead {
			return
		}
		text, err := readInstructions(name)
		if err != nil {
			problems = append(problems, Problem{File: at.String(), Message: path + ": " + err.Error(), Hint: "want a text file of at most 64 KiB"})
		}
		put(&c.texts, name, text)
	}
	read(c.Prompt.Instructions, c.From(path))
	for _, p := range c.Profiles {
		for _, s := range p.settings {
			if name, ok := s.value.(string); ok && s.path == path && !p.Off {
				read(name, s.at)
			}
		}
	}
	return problems
}

func readInstructions(name string) (string, error) {
	if !filepath.IsAbs(name) {
		user, err := UserFile()
		if err != nil {
			return "", err
		}
		name = filepath.Join(filepath.Dir(user), name)
	}
	b, err := readFile(name, regularOnly)
	switch text := strings.TrimRight(string(b), "\r\n"); {
	case err != nil:
		return "", err
	case len(b) > maxInstructions:
		return "", fmt.Errorf("%s is larger than %d KiB", name, maxInstructions>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fmt.Errorf("%s is not text in UTF-8", name)
	case strings.TrimSpace(text) == "":
		return "", fmt.Errorf("%s is empty", name)
	default:
		return text, nil
	}
}
