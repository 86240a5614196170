/// Measures the start-up time of the program and the memory of a payment.
struct ProgramBenchmark {
    private struct Row {
        let name: String
        let path: String
        let arguments: [String]
        /// Milliseconds; nil for a baseline.
        var target: Double?
    }

    /// The static release build of `cardpresent`.
    let program: String
    /// A program that prints one word, built the same way.
    let hello: String
    let folder: TemporaryFolder
    var rounds = 60

    func run() async throws -> String {
        try await "### Start-up\n\n" + startUp() + "\n### Peak memory of a payment\n\n" + memory()
    }

    private func startUp() async throws -> String {
        let message = SampleRecords.message(of: 4096).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16)
        }.joined()
        let till = ["--database", folder.path + "/receipts"]
        _ = try await ChildProcess(program, ["pay", "12.50", "--reader", "simulated"] + till)
        let render = ["receipts", "render", "P000001"] + till
        let rows = [
            Row(name: "`/bin/true` (baseline)", path: "/bin/true", arguments: []),
            Row(name: "static Swift `print` (baseline)", path: hello, arguments: []),
            Row(name: "`cardpresent --version`", path: program, arguments: ["--version"], target: 10),
            Row(name: "`cardpresent cards list`", path: program, arguments: ["cards", "list"], target: 12),
            Row(
                name: "`cardpresent emv decode`, 4 KB", path: program, arguments: ["emv", "decode", message],
                target: 30),
            Row(
                name: "`cardpresent emv decode --json`, 4 KB", path: program,
                arguments: ["emv", "decode", "--json", message], target: 30),
            Row(name: "`cardpresent receipts render`, text", path: program, arguments: render, target: 60),
            Row(
                name: "`cardpresent receipts render`, PDF", path: program,
                arguments: render + ["--format", "pdf", "-o", "/dev/null"], target: 60),
        ]
        var times = [Samples](repeating: Samples(), count: rows.count)
        for row in rows { _ = try await ChildProcess(row.path, row.arguments) }
        for _ in 0..<rounds {
            for (index, row) in rows.enumerated() {
                times[index].add(try await ChildProcess(row.path, row.arguments).milliseconds)
            }
        }
        var table = MarkdownTable("program", "ms", "against `print`", "target")
        for (index, row) in rows.enumerated() {
            table.add(
                row.name, times[index].text(decimals: 1), (times[index] / times[1]).median.text(1),
                row.target.map { verdict(times[index].median, atMost: $0) } ?? "")
        }
        return table.text
    }

    private func memory() async throws -> String {
        var payment = Samples()
        for _ in 0..<7 {
            payment.add(
                try await ChildProcess(
                    program, ["pay", "12.50", "--reader", "simulated", "--database", folder.path + "/pay"]
                ).peakMemory)
        }
        var table = MarkdownTable("program", "MB", "target")
        table.add("`cardpresent pay 12.50`", payment.text(decimals: 1), verdict(payment.median, atMost: 40))
        return table.text
    }
}
