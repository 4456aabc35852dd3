// Package editor knows how editors start agents: where their settings are, which entries these
// have, and how to change an entry so that acpshim runs its agent. It takes and returns bytes, and
// opens no file.
//
// A change touches one entry. Everything else keeps its bytes: comments, spacing, line ends, a byte
// order mark, and unknown members.
package editor

// An Editor is a client whose settings name agents.
type Editor struct {
	Name  string // as in "acpshim wrap NAME"
	Title string // as people know it

	// Path is how an agent gets PATH where the editor is started from a desktop.
	Path Path
	// Snippet returns the code or the command line for an entry; nil for an editor with settings.
	Snippet func(name string, command []string) string
	// Advice is what the user should know after a change, or "".
	Advice string

	file  func(System) string         // the settings; nil for an editor in code, and for Obsidian
	app   string                      // the id of its Flatpak, which has a folder for settings of its own; ""
	lists []string                    // members with entries, new ones go to the first; "" is the top
	write func(System, recipe) object // a new entry
	line  bool                        // a command without args is a whole line, with arguments
	array bool                        // the first list is an array, not an object
}

// InCode reports whether an editor is configured in code.
func (e Editor) InCode() bool { return e.Snippet != nil }

// HasVaults reports whether the editor has settings in each of its vaults.
func (e Editor) HasVaults() bool { return e.file == nil && !e.InCode() }

// Files returns the possible paths of the settings. vaults is the text of the file [Vaults], for an
// editor with settings in each vault.
func (e Editor) Files(s System, vaults []byte) []string {
	var files []string
	if e.file != nil {
		files = append(files, e.file(s))
		if boxed, ok := s.InFlatpak(e.app); ok {
			files = append(files, e.file(boxed))
		}
		return files
	}
	d, err := Parse(vaults)
	if err != nil || e.InCode() {
		return nil
	}
	list, _ := d.member(d.top, "vaults")
	if list == nil {
		return nil
	}
	for _, m := range members(*list) {
		if path, _ := d.member(m.Value, "path"); path != nil && text(*path) != "" {
			files = append(files, s.join(text(*path), ".obsidian", "plugins", "agent-client", "data.json"))
		}
	}
	return files
}

// Vaults returns the path of the file in which Obsidian lists its vaults.
func Vaults(s System) string { return s.join(s.own(), "obsidian", "obsidian.json") }

// A Path is the source of an agent's PATH.
type Path int

const (
	FromShell  Path = iota // the editor asks the user's shell for it
	FromEntry              // from the entry's env, else from the desktop, which may lack the folder of node
	FromParent             // the editor is started in a terminal
)

// A recipe describes the members of a new entry.
type recipe struct {
	name    string
	command []string
	path    string // PATH for its env, or ""
}

// All returns the editors that are known.
func All() []Editor {
	return append([]Editor{
		{
			Name: "zed", Title: "Zed", lists: []string{"agent_servers"}, write: zedEntry, app: ZedApp,
			file: func(s System) string {
				if s.OS == "windows" {
					return s.join(s.own(), "Zed", "settings.json")
				}
				return s.join(s.xdg(), "zed", "settings.json")
			},
		},
		{
			Name: "jetbrains", Title: "JetBrains IDEs", lists: []string{"agent_servers"}, write: commonEntry, Path: FromEntry,
			file: func(s System) string { return s.join(s.Home, ".jetbrains", "acp.json") },
		},
		visualStudio("vscode", "VS Code", "Code", "com.visualstudio.code"),
		visualStudio("vscode-insiders", "VS Code Insiders", "Code - Insiders", ""),
		visualStudio("vscodium", "VSCodium", "VSCodium", "com.vscodium.codium"),
		visualStudio("cursor", "Cursor", "Cursor", ""),
		visualStudio("windsurf", "Windsurf", "Windsurf", ""),
		{
			Name: "acpx", Title: "acpx", lists: []string{"agents"}, write: acpxEntry, line: true, Path: FromParent,
			file: func(s System) string { return s.join(s.Home, ".acpx", "config.json") },
		},
		{
			Name: "obsidian", Title: "Obsidian, Agent Client",
			lists: []string{"customAgents", "presetAgents", ""}, write: obsidianEntry, array: true,
			Advice: "restart Obsidian, or it may write its old settings again; it starts agents through a login shell: " +
				"if it does not find node, set its path in the plugin's settings",
		},
	}, inCode()...)
}

// visualStudio returns VS Code or an editor based on it, with an extension for agents:
// formulahendry's reads acp.agents, gayanper's reads acpClient.agents.
func visualStudio(name, title, folder, app string) Editor {
	return Editor{
		Name: name, Title: title, lists: []string{"acp.agents", "acpClient.agents"}, write: commonEntry, app: app,
		file: func(s System) string { return s.join(s.own(), folder, "User", "settings.json") },
	}
}

func zedEntry(_ System, r recipe) object {
	return append(object{{"type", "custom"}}, commonEntry(System{}, r)...)
}

func commonEntry(_ System, r recipe) object {
	env := object{}
	if r.path != "" {
		env = object{{"PATH", r.path}}
	}
	return object{{"command", r.command[0]}, {"args", r.command[1:]}, {"env", env}}
}

// acpxEntry has a command line that every version of acpx splits. On Windows acpx does not split
// it.
func acpxEntry(s System, r recipe) object {
	if s.OS == "windows" {
		return object{{"argv", r.command}}
	}
	return object{{"command", Line(r.command)}}
}

func obsidianEntry(_ System, r recipe) object {
	return object{{"id", r.name}, {"displayName", r.name}, {"command", r.command[0]}, {"args", r.command[1:]}, {"env", []string{}}}
}
