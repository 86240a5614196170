internal import DeviceAccess

/// Does what may be done without asking.
public struct Repairer: Sendable {
    private let files: SystemFiles
    private let runner: any CommandRunner
    private let isRoot: Bool

    /// - Parameters:
    ///   - files: where files are installed.
    ///   - runner: what runs programs.
    ///   - isRoot: whether this process has root's rights.
    public init(files: SystemFiles, runner: any CommandRunner, isRoot: Bool) {
        (self.files, self.runner, self.isRoot) = (files, runner, isRoot)
    }

    /// Does every repair that the reports offer, each once, in their order.
    ///
    /// - Parameters:
    ///   - reports: what was found.
    ///   - earlier: what was tried before, and is not tried again.
    /// - Returns: what was tried now.
    public func repair(_ reports: [CheckReport], after earlier: [RepairResult] = []) async -> [RepairResult] {
        var results: [RepairResult] = []
        for report in reports {
            for repair in report.findings.compactMap(\.repair)
            where !(earlier + results).contains(where: { $0.repair == repair }) {
                results.append(RepairResult(check: report.name, repair: repair, outcome: await outcome(of: repair)))
            }
        }
        return results
    }

    private func outcome(of repair: Repair) async -> RepairResult.Outcome {
        guard isRoot || !repair.needsRoot else { return .needsRoot }
        do throws(RepairError) {
            for step in repair.steps { try await perform(step) }
            return .done
        } catch {
            return .failed(error.description)
        }
    }

    private func perform(_ step: Repair.Step) async throws(RepairError) {
        switch step {
        case .install(let file): try files.install(file.contents, at: file.path)
        case .write(let value, let path): try files.write(value, to: path)
        case .run(let command): try await runner.run(command)
        }
    }
}
