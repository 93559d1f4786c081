"""What an agent is given of the page a person is looking at: drafts that are kept by key, snapshots of records, and
the references that stand in for their ids."""
