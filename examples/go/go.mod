module manyhash.example/go

go 1.22
