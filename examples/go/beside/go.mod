module manyhash.example/go/beside

go 1.22

require (
	github.com/minio/sha256-simd v1.0.1
	manyhash.example/go v0.0.0
)

require (
	github.com/klauspost/cpuid/v2 v2.2.3 // indirect
	golang.org/x/sys v0.0.0-20220704084225-05e143d24a9e // indirect
)

replace manyhash.example/go => ../
