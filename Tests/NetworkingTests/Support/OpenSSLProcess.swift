import Glibc

/// A run of the `openssl` program, which says nothing and hears nothing.
struct OpenSSLProcess: ~Copyable {
    static let path = "/usr/bin/openssl"

    private let child: pid_t

    init(_ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 {
            posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
        }
        var words = ([Self.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, Self.path, &actions, nil, &words, nil)
        guard failure == 0 else { throw SpawnError(number: failure) }
        self.child = child
    }

    /// Waits for its end.
    consuming func succeeded() -> Bool {
        let status = Self.wait(child)
        discard self
        return status == 0
    }

    deinit {
        kill(child, SIGKILL)
        _ = Self.wait(child)
    }

    private static func wait(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    struct SpawnError: Error { let number: Int32 }
}
