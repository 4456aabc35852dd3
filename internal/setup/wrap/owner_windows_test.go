package wrap

import "io/fs"

// owner is whose a file is: that of its folder.
func owner(fs.FileInfo) [2]uint32 { return [2]uint32{} }
