// Command write makes the schemas of "acpshim log validate" from a folder of published schemas and
// prints what changed, for .ci/schemas. It is run in the top folder of the project's source:
//
//	go run ./internal/dev/schemas/write FOLDER BEFORE
//
// See [schemas.Make] for the folders.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"acpshim/internal/dev/schemas"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("schemas: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: write FOLDER BEFORE")
	}
	file := filepath.FromSlash("internal/log/validate/schema/schema.json")
	old, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	made, err := schemas.Make(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	lines, err := schemas.Changes(old, made)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		fmt.Println(line)
	}
	if err := os.WriteFile(file, made, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d changes, %d bytes\n", file, len(lines), len(made))
}
