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

const instructionsKey = "prompt.instructions"

// Instructions returns the text of the file that prompt.instructions names, or "".
func (c Config) Instructions() string {
	return c.texts[instructionsFile(c.Prompt.Instructions, c.From(instructionsKey))]
}

// readInstructions reads the files that prompt.instructions names, also in profiles, so that a run
// does not begin without them.
func (c *Config) readInstructions() (problems Problems) {
	read := func(name string, at Place) {
		file := instructionsFile(name, at)
		if _, isRead := c.texts[file]; file == "" || isRead {
			return
		}
		text, err := readText(file)
		if err != nil {
			problems = append(problems, Problem{File: at.String(), Message: instructionsKey + ": " + err.Error(), Hint: "want a text file of at most 64 KiB"})
		}
		put(&c.texts, file, text)
	}
	read(c.Prompt.Instructions, c.From(instructionsKey))
	for _, p := range c.Profiles {
		for _, s := range p.settings {
			if name, ok := s.value.(string); ok && s.path == instructionsKey && !p.Off {
				read(name, s.at)
			}
		}
	}
	return problems
}

// instructionsFile returns the path of a file that is named at a place: a relative path is below
// the folder of the configuration that has it, and below the user's own for a flag.
func instructionsFile(name string, at Place) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	of := at.File
	if at.Line == 0 { // a flag
		of, _ = UserFile()
	}
	return filepath.Join(filepath.Dir(of), name)
}

func readText(name string) (string, error) {
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
