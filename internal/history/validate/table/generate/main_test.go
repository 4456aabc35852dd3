package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTable says when the schemas are no longer those that the table was made of.
// They are not part of this repository; ACPSHIM_SHARED names the folder that has
// them in schema.
func TestTable(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	want, err := generate(filepath.Join(shared, "schema"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../table.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table.json is not what the schemas say: run go generate ./internal/history/validate/table")
	}
}

func TestUnknownKeyword(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "schema.json")
	text := `{"$defs":{"Error":{"type":"object","properties":{"code":{"multipleOf":2}}}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(file); err == nil || !strings.Contains(err.Error(), "Error/properties/code/multipleOf: unknown keyword") {
		t.Errorf("error %v", err)
	}
}
