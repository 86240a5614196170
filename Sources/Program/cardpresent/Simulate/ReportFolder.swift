import FoundationEssentials
import ScenarioRunner

/// The folder of an HTML report.
enum ReportFolder {
    /// Writes the pages of a report, and removes those that an earlier report left.
    static func write(_ report: RunReport, to folder: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "cannot create the folder '\(folder)'",
                fix: "choose a writable folder")
        }
        for page in HTMLReport.pages(report) {
            try OutputFile(path: folder + "/" + page.fileName).write(Array(page.text.utf8))
        }
        try removeLeftOvers(of: report, in: folder)
    }

    /// Removes pages of an earlier run with more scenarios, which would look like a part of this one.
    private static func removeLeftOvers(of report: RunReport, in folder: String) throws(CommandFailure) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where HTMLReport.scenarioNumber(name) != nil {
            let path = folder + "/" + name
            // A link is not followed: the program writes files.
            guard
                (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeRegular,
                let bytes = FileManager.default.contents(atPath: path),
                HTMLReport.isLeftOver(name, text: String(decoding: bytes, as: UTF8.self), in: report)
            else { continue }
            do { try FileManager.default.removeItem(atPath: path) } catch {
                throw CommandFailure(
                    .unavailable, code: "output_failed", message: "cannot remove the page '\(path)' of an earlier run",
                    fix: "choose another folder, or remove it")
            }
        }
    }
}
