//! Annotators who err together: copyists, families of models, colluders.
