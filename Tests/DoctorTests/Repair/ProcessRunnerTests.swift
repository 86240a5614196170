import Doctor
import Testing

@Suite struct ProcessRunnerTests {
    @Test func `a program that ends well has no more to say`() async throws {
        try await ProcessRunner().run(["true"])
        try await ProcessRunner().run(["/bin/sh", "-c", "test \"$LC_ALL$HOME\" = C"])
    }

    @Test func `a program has no terminal that it could ask something on`() async throws {
        // proc(5), stat: the sixth field is the session.
        try await ProcessRunner().run([
            "/bin/sh", "-c", "read -r pid name state parent group session rest < /proc/$$/stat && test $session = $$",
        ])
    }

    @Test func `a program that fails is told with its last words`() async {
        await #expect(throws: RepairError.failed(program: "sh", status: 3, message: "no printer")) {
            try await ProcessRunner().run(["sh", "-c", "echo first; echo 'no printer' >&2; exit 3"])
        }
        await #expect(throws: RepairError.failed(program: "sh", status: 137, message: "")) {
            try await ProcessRunner().run(["sh", "-c", "kill -9 $$"])
        }
    }

    @Test func `a program that is not there, and no program, are told`() async {
        await #expect(throws: RepairError.notStarted(program: "nothing-here", reason: "No such file or directory")) {
            try await ProcessRunner().run(["nothing-here"])
        }
        await #expect(throws: RepairError.notStarted(program: "", reason: "no program is named")) {
            try await ProcessRunner().run([])
        }
    }

    @Test func `a program that does not end is ended`() async {
        await #expect(throws: RepairError.timedOut(program: "sleep")) {
            try await ProcessRunner(seconds: 1).run(["sleep", "600"])
        }
    }

    @Test func `a program that talks without end does not fill the memory`() async {
        await #expect(throws: RepairError.failed(program: "sh", status: 1, message: "end")) {
            try await ProcessRunner().run(["sh", "-c", "head -c 1000000 /dev/zero; echo; echo end; exit 1"])
        }
    }
}
