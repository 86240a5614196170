extension ResultsChange {
    /// Finds what is between two lists.
    init(from old: ResultsSnapshot<Model>, to new: ResultsSnapshot<Model>, isReset: Bool) {
        let difference = ResultsDifference(from: old.marks, to: new.marks)
        (self.old, self.new, self.isReset) = (old, new, isReset)
        sections =
            difference.deletedSections.map { .delete(index: $0, name: old.sections[$0].name) }
            + difference.insertedSections.map { .insert(index: $0, name: new.sections[$0].name) }
        var objects: [ResultsObjectChange<Model>] = []
        for path in difference.deleted { objects.append(.delete(old.object(path), at: path)) }
        for path in difference.inserted { objects.append(.insert(new.object(path), at: path)) }
        for (from, to) in difference.moved { objects.append(.move(new.object(to), from: from, to: to)) }
        for (from, to) in difference.updated { objects.append(.update(new.object(to), from: from, to: to)) }
        self.objects = objects
    }
}

extension ResultsSnapshot {
    fileprivate var marks: [ResultsDifference.Section] {
        sections.map { section in
            ResultsDifference.Section(
                name: section.name,
                marks: section.entries.map {
                    ResultsDifference.Mark(identity: $0.identity, version: $0.version)
                })
        }
    }

    /// What is at a path that is there.
    fileprivate func object(_ path: ResultsIndexPath) -> Model { sections[path.section][path.item] }
}
